package io.sluice.daemon.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ChangeRateTest {
  private static final long S = 1_000_000_000;
  private long nowNs = 7;
  private final ChangeRate rate = new ChangeRate(() -> nowNs);

  private int takeUntilRefused() {
    int taken = 0;
    while (rate.take()) {
      taken++;
    }
    return taken;
  }

  @Test
  void take_atOnce_letsTheBurstThrough() {
    assertThat(takeUntilRefused()).isEqualTo(ChangeRate.BURST);
    assertThat(rate.take()).isFalse();
  }

  @Test
  void take_thousandsASecond_letsTheRateThrough() {
    takeUntilRefused();
    int taken = 0;
    for (int i = 0; i < 20_000; i++) {
      nowNs += S / 10_000;
      taken += rate.take() ? 1 : 0;
    }
    assertThat(taken).isEqualTo(2 * ChangeRate.PER_SECOND);
  }

  @Test
  void take_afterALongPause_letsNoMoreThanTheBurstThrough() {
    nowNs += 1_000_000 * S;
    assertThat(takeUntilRefused()).isEqualTo(ChangeRate.BURST);
  }
}
