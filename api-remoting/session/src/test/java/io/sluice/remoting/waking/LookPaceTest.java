package io.sluice.remoting.waking;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LookPaceTest {
  private static final long MS = 1_000_000;

  private final LookPace pace = new LookPace();

  @Test
  void nextNs_libraryThatWasNeverLate_isSeldom() {
    assertThat(pace.nextNs(0)).isEqualTo(LookPace.SELDOM_NS);
    assertThat(pace.nextNs(10 * MS)).isEqualTo(10 * MS);
    assertThat(pace.nextNs(Long.MAX_VALUE)).isEqualTo(LookPace.LONGEST_NS);
    pace.completed(true);
    assertThat(pace.nextNs(0)).isEqualTo(LookPace.SELDOM_NS);
  }

  @Test
  void nextNs_libraryThatWasLate_isOftenUntilItHasToldInTimeForLong() {
    pace.completed(false);
    for (int i = 0; i < LookPace.PROBATION; i++) {
      assertThat(pace.nextNs(0)).isEqualTo(LookPace.OFTEN_NS);
      assertThat(pace.nextNs(8 * MS)).isEqualTo(MS);
      assertThat(pace.nextNs(Long.MAX_VALUE)).isEqualTo(LookPace.LONGEST_NS);
      pace.completed(true);
    }
    assertThat(pace.nextNs(0)).isEqualTo(LookPace.SELDOM_NS);
  }

  @Test
  void nextNs_libraryThatIsLateAgain_isOftenAsLongAsAtFirst() {
    pace.completed(false);
    pace.completed(true);
    pace.completed(false);
    for (int i = 0; i < LookPace.PROBATION - 1; i++) {
      pace.completed(true);
    }
    assertThat(pace.nextNs(0)).isEqualTo(LookPace.OFTEN_NS);
  }
}
