package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class QueryPaceTest {
  private static final long MS = 1_000_000;

  @Test
  void betweenNs_muchLeft_isLongerThanWithLittle() {
    assertThat(QueryPace.betweenNs(512 << 20, false)).isEqualTo(20 * MS);
    assertThat(QueryPace.betweenNs(64 << 20, false)).isEqualTo(5 * MS);
  }

  @Test
  void betweenNs_nextToNothingLeft_doesNotMissThatMoment() {
    assertThat(QueryPace.betweenNs((16 << 20) + 1, false)).isEqualTo(5 * MS);
    assertThat(QueryPace.betweenNs(16 << 20, false)).isEqualTo(MS);
  }

  @Test
  void betweenNs_notKnownOrHeldBack_isAsWithLittle() {
    assertThat(QueryPace.betweenNs(-1, false)).isEqualTo(5 * MS);
    assertThat(QueryPace.betweenNs(0, true)).isEqualTo(5 * MS);
  }
}
