package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.phase.Phase;
import org.junit.jupiter.api.Test;

final class SourcePatienceTest {
  private static final long T = 7_000_000_000L;
  private static final MigrationSettings SETTINGS = MigrationSettings.DEFAULT;
  private static final long HELD_NS = SETTINGS.peer().held().toNanos();

  /** Between two looks, divides the time. */
  private static final long LOOK_NS = 100_000_000;

  private final SourcePatience patience =
      new SourcePatience("web-01", SETTINGS, new LinkRate(0), T);

  @Test
  void withWork_destinationTakesNothing_isTooLong() {
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T)).isEmpty();
    for (long ns = LOOK_NS; ns <= HELD_NS; ns += LOOK_NS) {
      assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + ns)).isEmpty();
    }
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + HELD_NS + 1))
        .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo("SLU-MIG-025"));
  }

  /** Stopped as a process is, or without a processor: that is no fault of the destination's. */
  @Test
  void withWork_thisSideStoodStill_blamesNobody() {
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T)).isEmpty();
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + 60 * HELD_NS)).isEmpty();
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + 61 * HELD_NS)).isEmpty();
  }

  @Test
  void withWork_destinationTakesSome_isWaitedForAnew() {
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 0, T)).isEmpty();
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + HELD_NS + 1)).isEmpty();
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 1 << 20, T + 2 * HELD_NS)).isEmpty();
  }

  /** The machine is told of pages that its GPU wrote, which takes long when there are many. */
  @Test
  void withWork_thisSideHasSomethingToDo_blamesNobody() {
    assertThat(patience.withWork(Phase.FINAL_COPY, true, 0, T)).isEmpty();
    assertThat(patience.withWork(Phase.FINAL_COPY, true, 0, T + 5 * HELD_NS)).isEmpty();
    for (long ns = 0; ns < HELD_NS; ns += LOOK_NS) {
      long nowNs = T + 5 * HELD_NS + LOOK_NS + ns;
      assertThat(patience.withWork(Phase.FINAL_COPY, false, 0, nowNs)).isEmpty();
    }
    assertThat(patience.withWork(Phase.FINAL_COPY, false, 0, T + 6 * HELD_NS + LOOK_NS + 1))
        .isPresent();
  }
}
