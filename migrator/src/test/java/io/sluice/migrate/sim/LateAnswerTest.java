package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import io.sluice.testbed.fakes.Seeds;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A destination whose host lives and whose engine does not get to answer: it is waited for while
 * the guest runs, and the guest is not made to wait for it.
 */
@ExtendWith(Seeds.class)
final class LateAnswerTest {
  private static final MigrationSettings SETTINGS = MigrationSettings.DEFAULT;
  private static final long STEP_NS = 100_000_000;
  private static final int MAX_STEPS = 400_000;

  /** Time passes, in which the destination's engine does nothing. */
  private static void pass(World world, Duration time) {
    for (long end = world.nowNs + time.toNanos(); world.nowNs < end; world.nowNs += STEP_NS) {
      world.stepSource();
      world.source.runGpu();
    }
  }

  private static void runTo(World world, Phase phase) {
    for (int i = 0; i < MAX_STEPS && world.from.phase() != phase && !world.isOver(); i++) {
      world.step();
    }
    assertThat(world.from.phase()).as("%s", world.from.reason()).isEqualTo(phase);
  }

  private static void isGivenUp(World world, String code, String what) {
    pass(world, Duration.ofSeconds(1)); // what was begun is taken back
    assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
    Reason reason = world.from.reason().orElseThrow();
    assertThat(reason.code()).isEqualTo(code);
    assertThat(reason.what()).contains(what);
    assertThat(reason.remedy()).isNotEmpty();
    assertThat(world.machine.runsAtSource).isTrue();
  }

  @Test
  void offer_neverAnswered_isGivenUpWithAReason(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      pass(world, SETTINGS.peer().running().minusSeconds(1));
      assertThat(world.from.phase()).isEqualTo(Phase.PREPARE);
      pass(world, Duration.ofSeconds(2));
      isGivenUp(world, "SLU-MIG-025", "does not answer the offer, seconds=60");
    }
  }

  @Test
  void offer_neverAnswered_isGivenUpWhenTheOperatorsTimeIsOver(RandomGenerator random) {
    MigrationSettings settings = SETTINGS.withTimeout(Duration.ofSeconds(5), OnTimeout.ABORT);
    try (World world = new World(random.nextLong(), settings)) {
      pass(world, Duration.ofSeconds(6));
      isGivenUp(world, "SLU-MIG-026", "takes too long, seconds=5");
    }
  }

  @Test
  void destination_silentWhileTheGuestWaits_isGivenUpAfterItsShortTime(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      runTo(world, Phase.DETACH);
      pass(world, SETTINGS.peer().held().plusSeconds(1));
      isGivenUp(world, "SLU-MIG-025", "silent, seconds=10");
    }
  }

  @Test
  void offer_answeredLate_movesTheGuest(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      pass(world, Duration.ofSeconds(45));
      assertThat(world.from.phase()).isEqualTo(Phase.PREPARE);
      runTo(world, Phase.DONE);
      SimulationTest.verify(world);
    }
  }

  /** Both hosts were suspended: what the other one has said since is still on its way. */
  @Test
  void preCopy_thisSideStoodStill_nobodyIsBlamed(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      runTo(world, Phase.PRE_COPY);
      world.stepSource(); // hears all that has come
      world.stepTarget();
      world.nowNs += SETTINGS.peer().running().multipliedBy(2).toNanos();
      world.stepSource();
      world.stepTarget();
      assertThat(world.from.reason()).isEmpty();
      runTo(world, Phase.DONE);
      SimulationTest.verify(world);
    }
  }

  /** All is copied: access would be taken back, for a destination that cannot act. */
  @Test
  void preCopy_destinationSilent_theGuestIsNotHeldUntilItIsHeardOfAgain(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      runTo(world, Phase.PRE_COPY);
      world.nowNs += SETTINGS.peer().held().dividedBy(2).toNanos();
      pass(world, Duration.ofSeconds(30));
      assertThat(world.from.phase()).isEqualTo(Phase.PRE_COPY);
      runTo(world, Phase.DONE);
      SimulationTest.verify(world);
    }
  }
}
