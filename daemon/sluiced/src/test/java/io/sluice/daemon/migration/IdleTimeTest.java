package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class IdleTimeTest {
  private static final long MS = 1_000_000;

  @Test
  void after_nothingOrLess_isTheLeast() {
    assertThat(IdleTime.after(0)).isEqualTo(IdleTime.LEAST_NS);
    assertThat(IdleTime.after(-1)).isEqualTo(IdleTime.LEAST_NS);
  }

  @Test
  void after_aWhile_isAPartOfIt() {
    assertThat(IdleTime.after(64 * MS)).isEqualTo(MS);
  }

  @Test
  void after_aLongTime_isTheMost() {
    assertThat(IdleTime.after(3600_000 * MS)).isEqualTo(IdleTime.MOST_NS);
  }
}
