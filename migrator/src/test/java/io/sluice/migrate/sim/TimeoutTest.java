package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.OnTimeout;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.testbed.fakes.Seeds;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of a migration that takes longer than the operator wants. */
@ExtendWith(Seeds.class)
final class TimeoutTest {
  private static final int MAX_STEPS = 400_000;

  /** A machine that changes its memory as fast as it is copied. */
  private static final long NEVER_NS = Duration.ofHours(1).toNanos();

  private static MigrationSettings settings(OnTimeout onTimeout, Duration timeout) {
    MigrationSettings usual = MigrationSettings.DEFAULT;
    return new MigrationSettings(
        usual.detach(),
        usual.detection(),
        1,
        0,
        Duration.ofMillis(100),
        timeout,
        onTimeout,
        usual.peer(),
        false);
  }

  private static void runUntilOver(World world) {
    for (int i = 0; i < MAX_STEPS && !world.isOver(); i++) {
      world.step();
    }
    assertThat(world.isOver()).as("phase=%s", world.from.phase()).isTrue();
  }

  private static String phases(World world) {
    return world.from.status().phases().toString();
  }

  /** Its daemon says all the time that it is there. */
  @Test
  void destination_neverReady_isNotWaitedForLongerThanASilentOne(RandomGenerator random) {
    try (World world = new World(random.nextLong(), MigrationSettings.DEFAULT)) {
      world.machine.stuck = true;
      long since = world.nowNs;
      while (!world.from.phase().isOver()) {
        world.step();
        if (world.from.phase() != Phase.RESTORE && !world.from.phase().isOver()) {
          since = world.nowNs;
        }
        assertThat(world.nowNs - since)
            .as("still waiting, phase=%s", world.from.phase())
            .isLessThan(2 * MigrationSettings.DEFAULT.peer().held().toNanos());
      }
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().what()).contains("gets no further");
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  @Test
  void timeout_machineNeverNear_abort_isGivenUp(RandomGenerator random) {
    MigrationSettings settings = settings(OnTimeout.ABORT, Duration.ofMillis(300));
    try (World world =
        new World(random.nextLong(), settings, World.VRAM_BYTES, NEVER_NS, Host.Kind.APERTURE)) {
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().code()).isEqualTo("SLU-MIG-026");
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  @Test
  void timeout_machineNeverNear_force_stopsItAndMovesTheGuest(RandomGenerator random) {
    MigrationSettings settings = settings(OnTimeout.FORCE, Duration.ofMillis(300));
    try (World world =
        new World(random.nextLong(), settings, World.VRAM_BYTES, NEVER_NS, Host.Kind.APERTURE)) {
      runUntilOver(world);
      assertThat(world.from.phase()).as("%s", world.from.reason()).isEqualTo(Phase.DONE);
      assertThat(Objects.requireNonNull(world.to).phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(world.machine.runsAtTarget).isTrue();
      assertThat(world.from.status().atNs()).isGreaterThan(300_000_000L);
      assertThat(phases(world)).contains("forced");
    }
  }
}
