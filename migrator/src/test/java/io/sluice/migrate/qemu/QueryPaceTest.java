package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class QueryPaceTest {
  private static final long MS = 1_000_000;

  @Test
  void isDue_neverAsked_isTrueAtAnyTime() {
    assertThat(new QueryPace().isDue(Long.MIN_VALUE, -1, false)).isTrue();
    assertThat(new QueryPace().isDue(0, 1L << 40, false)).isTrue();
  }

  @Test
  void isDue_muchLeft_waitsLongerThanWithLittle() {
    QueryPace pace = new QueryPace();
    pace.answered(100 * MS);

    assertThat(pace.isDue(104 * MS, 32 << 20, false)).isFalse();
    assertThat(pace.isDue(105 * MS, 32 << 20, false)).isTrue();
    assertThat(pace.isDue(105 * MS, 512 << 20, false)).isFalse();
    assertThat(pace.isDue(150 * MS, 512 << 20, false)).isTrue();
  }

  @Test
  void isDue_nextToNothingLeft_doesNotMissThatMoment() {
    QueryPace pace = new QueryPace();
    pace.answered(100 * MS);

    assertThat(pace.isDue(101 * MS, 16 << 20, false)).isTrue();
    assertThat(pace.isDue(101 * MS, (16 << 20) + 1, false)).isFalse();
  }

  @Test
  void isDue_heldBack_asksAsWithLittle() {
    QueryPace pace = new QueryPace();
    pace.answered(100 * MS);

    assertThat(pace.isDue(104 * MS, 1 << 20, true)).isFalse();
    assertThat(pace.isDue(105 * MS, 1 << 20, true)).isTrue();
  }

  @Test
  void isDue_notKnownHowMuch_asksAsWithLittle() {
    QueryPace pace = new QueryPace();
    pace.answered(0);

    assertThat(pace.isDue(4 * MS, -1, false)).isFalse();
    assertThat(pace.isDue(5 * MS, -1, false)).isTrue();
  }

  @Test
  void isDue_clockBeyondItsRange_countsOn() {
    QueryPace pace = new QueryPace();
    pace.answered(Long.MAX_VALUE);

    assertThat(pace.isDue(Long.MIN_VALUE, 0, true)).isFalse();
    assertThat(pace.isDue(Long.MIN_VALUE + 5 * MS, 0, true)).isTrue();
  }
}
