package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import org.junit.jupiter.api.Test;

final class DetachPlanTest {
  private static final long MS = 1_000_000;

  private final DetachPlan plan = new DetachPlan(DetachTime.PLANNED);

  @Test
  void planned_nothingHasRun_onlyWhenCopied() {
    assertThat(plan.isDue(1, false)).isFalse();
    assertThat(plan.isDue(1, true)).isTrue();
  }

  @Test
  void planned_nothingRunsNow_notWhileCopying() {
    plan.observe(700 * MS);
    plan.observe(0);
    assertThat(plan.expectedDrainNs()).isZero();
    assertThat(plan.isDue(1, false)).isFalse();
  }

  /** The drain would be over long before the copying, and the GPU would have nothing to do. */
  @Test
  void planned_longCommandNearItsEnd_waitsForTheNext() {
    plan.observe(700 * MS);
    plan.observe(600 * MS);
    assertThat(plan.expectedDrainNs()).isEqualTo(100 * MS);
    assertThat(plan.isDue(500 * MS, false)).isFalse();
    plan.observe(10 * MS);
    assertThat(plan.isDue(500 * MS, false)).isTrue();
  }

  @Test
  void planned_copyingTakesLonger_notYet() {
    plan.observe(700 * MS);
    plan.observe(MS);
    assertThat(plan.isDue(700 * MS, false)).isFalse();
    assertThat(plan.isDue(699 * MS, false)).isTrue();
  }

  @Test
  void isDrainShort_asLongAsTheCommandThatRuns() {
    assertThat(plan.isDrainShort()).as("nothing runs").isTrue();
    plan.observe(700 * MS);
    plan.observe(599 * MS);
    assertThat(plan.isDrainShort()).isFalse();
    plan.observe(600 * MS);
    assertThat(plan.isDrainShort()).isTrue();
  }

  /** 0 says that nobody knows how long it takes. */
  @Test
  void planned_copyingUnknown_notYet() {
    plan.observe(700 * MS);
    plan.observe(MS);
    assertThat(plan.isDue(0, false)).isFalse();
  }

  @Test
  void first_always_last_whenCopied() {
    assertThat(new DetachPlan(DetachTime.FIRST).isDue(0, false)).isTrue();
    DetachPlan last = new DetachPlan(DetachTime.LAST);
    last.observe(700 * MS);
    last.observe(MS);
    assertThat(last.isDue(1, false)).isFalse();
    assertThat(last.isDue(1, true)).isTrue();
  }
}
