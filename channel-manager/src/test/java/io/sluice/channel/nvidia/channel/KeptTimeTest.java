package io.sluice.channel.nvidia.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The time that is charged to a channel which keeps its engine, and that which is not. */
final class KeptTimeTest {
  private static final long MS = 1_000_000;

  private final KeptTime kept = new KeptTime();

  @Test
  void looks_inTime_countWhatLiesBetweenThem() {
    assertThat(kept.see(100 * MS, 101 * MS)).isEqualTo(MS);
    assertThat(kept.see(150 * MS, 151 * MS)).isEqualTo(51 * MS);
    assertThat(kept.see(250 * MS, 251 * MS)).isEqualTo(151 * MS);
  }

  @Test
  void look_afterTheWatchdogStoodStill_countsOneStepOfIt() {
    long before = kept.see(100 * MS, 101 * MS);

    assertThat(kept.see(5000 * MS, 5001 * MS)).isEqualTo(before + KeptTime.MOST_STEP.toNanos());
  }

  @Test
  void look_afterItHasLeft_beginsAnew() {
    long _ = kept.see(100 * MS, 200 * MS);
    kept.end();

    assertThat(kept.see(300 * MS, 301 * MS)).isEqualTo(MS);
  }
}
