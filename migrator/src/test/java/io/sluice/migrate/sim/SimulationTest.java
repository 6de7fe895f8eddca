package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.memory.DirtyDetection;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.testbed.fakes.Seeds;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A guest that never stops submitting moves, or does not, and loses nothing either way. */
@ExtendWith(Seeds.class)
final class SimulationTest {
  private static final int SEEDS = Integer.getInteger("sluice.simulation.seeds", 200);
  private static final int STEPS_OF_A_WRITE = 500;
  private static final int MAX_STEPS = 200_000;

  private static void runUntilOver(World world) {
    for (int i = 0; i < MAX_STEPS; i++) {
      world.step();
      if (world.from.isUndecided() && !world.sourceCrashed) {
        world.answerInquiry();
      }
      if (world.isOver()) {
        return;
      }
    }
    throw new AssertionError(
        "it does not end, source="
            + world.from.phase()
            + " target="
            + Objects.requireNonNull(world.to).phase()
            + " machine="
            + world.machine.sourceSide.progress());
  }

  /** Wherever the machine runs now, all that was submitted completes, and more. */
  static void verify(World world) {
    Program.Host at = world.machineAt();
    assertThat(at).as("somebody runs the machine").isNotNull();
    Objects.requireNonNull(at);
    int before = world.program.submitted();
    for (int i = 0; i < 400; i++) {
      world.step();
    }
    assertThat(world.program.submitted()).isGreaterThan(before);
    world.program.help(at);
    for (int i = 0; i < 3000 && !world.program.isComplete(at); i++) {
      world.nowNs += 2_000_000;
      world.source.runGpu();
      world.target.runGpu();
    }
    assertThat(world.program.isComplete(at)).as("all that was submitted was executed").isTrue();
    assertThat(world.program.verify(at)).isEmpty();
  }

  @Test
  void migration_noFaults_movesTheGuest(RandomGenerator random) {
    for (DetachTime time : DetachTime.values()) {
      for (DirtyDetection detection :
          new DirtyDetection[] {
            DirtyDetection.DEFAULT,
            DirtyDetection.NONE,
            new DirtyDetection(true, false, true, true, true),
            new DirtyDetection(true, false, false, false, true),
            new DirtyDetection(false, false, true, false, true),
            new DirtyDetection(false, false, true, true, false)
          }) {
        MigrationSettings settings =
            MigrationSettings.DEFAULT.withDetach(time).withDetection(detection);
        for (Host.Kind kind : Host.Kind.values()) {
          try (World world = new World(random.nextLong(), settings, World.VRAM_BYTES, kind)) {
            runUntilOver(world);
            assertThat(world.from.phase())
                .as("%s, %s, %s", kind, settings, world.from.reason())
                .isEqualTo(Phase.DONE);
            verify(world);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"DONE", "ABORTING", "ABORTED", "COMMIT"},
      mode = EnumSource.Mode.EXCLUDE)
  void abort_inEveryPhase_leavesTheGuestAndASecondAttemptMovesIt(
      Phase phase, RandomGenerator random) {
    try (World world = worldIn(phase, random)) {
      world.from.abort(new Reason(MigrationCode.CANCELLED, "the operator gave it up", ""));
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(Objects.requireNonNull(world.to).phase())
          .isIn(TargetPhase.DISCARDED, TargetPhase.WAITING);
      verify(world);
      world.retry();
      runUntilOver(world);
      assertThat(world.from.phase()).as("%s", world.from.reason()).isEqualTo(Phase.DONE);
      verify(world);
    }
  }

  /** A world that has come to a phase; one in which two follow in one step may pass it by. */
  private static World worldIn(Phase phase, RandomGenerator random) {
    for (int attempt = 0; attempt < 100; attempt++) {
      World world = new World(random.nextLong(), MigrationSettings.DEFAULT);
      for (int i = 0; !world.isOver() && i < MAX_STEPS; i++) {
        if (world.from.phase() == phase) {
          return world;
        }
        world.step();
      }
      world.close();
    }
    throw new AssertionError("no world was ever in " + phase);
  }

  @Test
  void migration_targetTooSmall_isRefusedAndTheGuestGoesOn(RandomGenerator random) {
    try (World world =
        new World(random.nextLong(), MigrationSettings.DEFAULT, 256 << 10, Host.Kind.APERTURE)) {
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().code()).isEqualTo("SLU-MIG-034");
      verify(world);
    }
  }

  @Test
  void migration_noRecordCanBeWritten_comesBack(RandomGenerator random) {
    try (World world = new World(random.nextLong(), MigrationSettings.DEFAULT)) {
      world.ledgerFails = true;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      verify(world);
    }
  }

  /** Whoever is asked and fails at it says nothing of the guest, which may run there. */
  @Test
  void commit_whoIsAskedFails_isAskedAgain(RandomGenerator random) {
    try (World world = worldIn(Phase.COMMIT, random)) {
      for (int i = 0; i < MAX_STEPS && !world.machine.runsAtTarget; i++) {
        world.nowNs += 1_000_000;
        world.stepTarget();
      }
      world.link.cut("by the test, with the destination's word");
      world.inquiriesFail = 3;
      runUntilOver(world);
      assertThat(world.inquiriesFail).isZero();
      assertThat(world.from.phase()).as("%s", world.from.reason()).isEqualTo(Phase.DONE);
      verify(world);
    }
  }

  @Test
  void commit_whoIsAskedFailsAndNeverHadIt_comesBackWhenItSaysSo(RandomGenerator random) {
    try (World world = worldIn(Phase.COMMIT, random)) {
      world.link.cut("by the test, with the source's word");
      world.inquiriesFail = 3;
      runUntilOver(world);
      assertThat(world.inquiriesFail).isZero();
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().code()).isEqualTo("SLU-MIG-024");
      verify(world);
    }
  }

  /** A byte that is written late is an old one: the GPU must not write there before. */
  @Test
  void abort_whileGuestMemoryIsStillWritten_attachesTheGpuAfterThat(RandomGenerator random) {
    try (World world = new World(random.nextLong(), MigrationSettings.DEFAULT)) {
      for (int i = 0; i < MAX_STEPS && world.from.phase() != Phase.FINAL_COPY; i++) {
        world.step();
      }
      world.machine.writing = true;
      world.from.abort(new Reason(MigrationCode.CANCELLED, "the test gives it up", ""));
      for (int i = 0; i < STEPS_OF_A_WRITE; i++) {
        world.step();
        assertThat(world.source.runsGuest()).isFalse();
      }
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTING);

      world.machine.writing = false;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.source.runsGuest()).isTrue();
      verify(world);
    }
  }

  @Test
  void targetsMachine_frozenInTheLastPass_comesBack(RandomGenerator random) {
    try (World world = new World(random.nextLong(), MigrationSettings.DEFAULT)) {
      world.machine.frozen = true;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().code()).isEqualTo("SLU-MIG-028");
      verify(world);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = TargetPhase.class,
      names = {"RESTORING", "READY"})
  void targetsMachine_endsBeforeTheRecord_comesBack(TargetPhase phase, RandomGenerator random) {
    try (World world = new World(random.nextLong(), MigrationSettings.DEFAULT)) {
      while (Objects.requireNonNull(world.to).phase() != phase) {
        world.step();
      }
      world.machine.failTarget();
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      verify(world);
    }
  }

  /** Anything at any step: never two owners, nothing lost, and nobody without being told. */
  @Test
  void migration_faultsAtAnyStep_oneOwnerAndNothingLost(RandomGenerator random) {
    int moved = 0;
    for (int i = 0; i < SEEDS; i++) {
      Host.Kind kind = Host.Kind.values()[i % Host.Kind.values().length];
      moved += runWithFaults(random.nextLong(), kind) == Phase.DONE ? 1 : 0;
    }
    assertThat(moved).isBetween(SEEDS / 20, SEEDS * 19 / 20);
  }

  /** Worlds in which something went wrong once. */
  @ParameterizedTest
  @ValueSource(
      longs = {
        -1170837874158065940L, // the machine fails as the channels are to be detached
        1917861878448412258L, // the machine fails, and runs again, after its channels were saved
      })
  void migration_faultsOfThen_oneOwnerAndNothingLost(long seed) {
    assertThat(runWithFaults(seed, Host.Kind.APERTURE)).isEqualTo(Phase.ABORTED);
  }

  private static Phase runWithFaults(long seed, Host.Kind kind) {
    try (World world = new World(seed, settings(seed), World.VRAM_BYTES, kind)) {
      world.inquiriesFail = Seeds.generator(seed ^ 2).nextInt(3);
      runWithFaults(world);
      return world.from.phase();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("world with seed " + seed + ", " + kind, e);
    }
  }

  private static MigrationSettings settings(long seed) {
    RandomGenerator random = Seeds.generator(seed ^ 1);
    DetachTime[] times = DetachTime.values();
    return MigrationSettings.DEFAULT.withDetach(times[random.nextInt(times.length)]);
  }

  private static void runWithFaults(World world) {
    int faultAt = world.random.nextInt(1, 1500);
    int fault = world.random.nextInt(8);
    world.ledgerFails = world.random.nextInt(10) == 0;
    for (int i = 0; i < faultAt && !world.isOver(); i++) {
      world.step();
    }
    switch (fault) {
      case 0 -> world.link.cut("by the test");
      case 1 -> world.link.corruptNext();
      case 2 -> world.crashSource();
      case 3 -> world.crashTarget();
      case 4 -> world.machine.fail();
      case 5 -> world.from.abort(new Reason(MigrationCode.CANCELLED, "given up", ""));
      case 6 -> world.link.setDelays(3_000_000, 50_000_000, 1_000_000, 20_000_000);
      default -> {}
    }
    runUntilOver(world);
    boolean deviceLost = world.sourceCrashed && world.machine.runsAtSource;
    boolean targetLost = fault == 3 && world.from.phase() == Phase.DONE;
    if (deviceLost || targetLost) {
      // Told: the first by the device's socket that closed, the second by the record.
      assertThat(world.machineAt()).isNull();
    } else if (world.sourceCrashed && !world.machine.runsAtTarget) {
      assertThat(world.ledger)
          .as("the machine stands at the source, whose daemon is gone")
          .isEmpty();
    } else {
      verify(world);
    }
  }
}
