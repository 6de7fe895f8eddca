package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.testbed.fakes.Seeds;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever ends a migration while the guest waits for it, the guest goes on at the source within a
 * second, by the clock that drives both sides.
 */
@ExtendWith(Seeds.class)
final class GoesOnTest {
  private static final long LIMIT_NS = 1_000_000_000L;
  private static final long LATE_NS = 100_000_000L;
  private static final MigrationSettings SETTINGS = MigrationSettings.DEFAULT;
  private static final int MAX_STEPS = 400_000;
  private static final int MAX_WORLDS = 200;

  /** What goes wrong, and the phases of the source in which it can. */
  private enum Fault {
    LINK_CUT(world -> world.link.cut("by the test"), true),
    FRAME_DAMAGED(world -> world.link.corruptNext(), true),
    PEER_SILENT(world -> world.link.stall(), true),
    DESTINATION_KILLED(World::crashTarget, true),
    /** Its disk is full when it is to write down that the guest is its own. */
    NO_RECORD(world -> world.ledgerFails = true, false);

    final Consumer<World> happens;
    final boolean everywhere;

    Fault(Consumer<World> happens, boolean everywhere) {
      this.happens = happens;
      this.everywhere = everywhere;
    }
  }

  private static Stream<Arguments> faults() {
    return Stream.of(Fault.values())
        .flatMap(fault ->
            Stream.of(Phase.values())
                .filter(phase -> fault.everywhere ? phase.holdsGuest() : phase == Phase.RESTORE)
                .map(phase -> Arguments.of(fault, phase)));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void fault_whileTheGuestWaits_itGoesOnWithinASecond(
      Fault fault, Phase phase, RandomGenerator random) {
    try (World world = worldIn(phase, random)) {
      fault.happens.accept(world);
      long since = world.nowNs;
      while (!world.from.phase().isOver()) {
        world.step();
        if (world.from.isUndecided()) {
          world.answerInquiry(); // it was the frame that gives the guest away
        }
        assertThat(world.nowNs - since)
            .as("still waiting, phase=%s", world.from.phase())
            .isLessThan(LIMIT_NS);
      }
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().what()).isNotEmpty();
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  @Test
  void record_cannotBeWritten_theSourceSaysWhy(RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random)) {
      world.ledgerFails = true;
      runUntilOver(world);
      assertThat(world.from.reason().orElseThrow().what()).isEqualTo("disk full");
    }
  }

  /**
   * That the way has ended is seen before the destination says why, which the guest is not held
   * for.
   */
  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"PRE_COPY", "DRAIN", "FINAL_COPY", "SWITCH_OVER"})
  void wayOfTheMachine_ends_theDestinationsReasonIsToldWhenTheGuestHasGoneOn(
      Phase phase, RandomGenerator random) {
    try (World world = worldIn(phase, random)) {
      world.link.setDelays(new long[] {LATE_NS, 0, 0, 0});
      world.machine.cutOff();
      long since = world.nowNs;
      runUntilOver(world);
      assertThat(world.nowNs - since).as("its word takes that long").isGreaterThan(LATE_NS);
      Reason reason = world.from.reason().orElseThrow();
      assertThat(reason.code()).isEqualTo("SLU-MIG-023");
      assertThat(reason.what())
          .isEqualTo(
              "the way has ended; the destination says: the machine at the target has ended");
      assertThat(world.from.status().wentOnNs()).isBetween(0L, LATE_NS / 2);
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  /** It may have been killed: its silence is no reason to wait for long. */
  @Test
  void wayOfTheMachine_endsAndTheDestinationSaysNothing_isGivenUpForThat(RandomGenerator random) {
    try (World world = worldIn(Phase.FINAL_COPY, random)) {
      world.link.stall();
      world.machine.cutOff();
      long since = world.nowNs;
      runUntilOver(world);
      assertThat(world.nowNs - since).isLessThan(LIMIT_NS);
      assertThat(world.from.reason().orElseThrow().what()).isEqualTo("the way has ended");
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  @Test
  void record_cannotBePrepared_isRefusedBeforeTheMachineIsTouched(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      world.ledgerCannotPrepare = true;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().what()).isEqualTo("disk full");
      assertThat(world.from.status().phases()).hasSize(3); // prepare, aborting, aborted
      assertThat(world.machine.runsAtSource).isTrue();
    }
  }

  /** It is QEMU that copies by then. */
  @Test
  void machine_beginsAndFailsOnTheWay_isTakenBack(RandomGenerator random) {
    try (World world = new World(random.nextLong(), SETTINGS)) {
      world.machine.startFails = true;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().what()).isEqualTo("it begins, and fails");
      assertThat(world.machine.sourceSide.progress().state()).isEqualTo(State.IDLE);
    }
  }

  @Test
  void discard_machineThereCannotBeEnded_theGuestIsTakenAwayAllTheSame(RandomGenerator random) {
    try (World world = worldIn(Phase.FINAL_COPY, random)) {
      world.machine.targetStays = true;
      MigrationTarget to = Objects.requireNonNull(world.to);
      assertThatThrownBy(() -> to.discardNow(new Reason("SLU-MIG-901", "by the test", "")))
          .hasMessage("it cannot be ended");
      assertThat(to.phase()).isEqualTo(TargetPhase.DISCARDED);
      assertThat(world.target.guest).isNull();
    }
  }

  /** A heap that is full for a moment, when the guest is to go on here. */
  @ParameterizedTest
  @ValueSource(ints = {1, 7})
  void undo_failsForAWhile_isTriedUntilTheGuestGoesOn(int times, RandomGenerator random) {
    try (World world = worldIn(Phase.FINAL_COPY, random, Host.Kind.COPIES)) {
      BlindGpu gpu = Objects.requireNonNull(world.source.blind);
      gpu.goingOnFails = times;
      world.machine.abortFails = times;
      world.from.abort(new Reason("SLU-MIG-901", "by the test", ""));
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.from.reason().orElseThrow().what()).isEqualTo("by the test");
      assertThat(world.machine.runsAtSource).isTrue();
      assertThat(world.source.runsGuest()).isTrue();
      assertThat(gpu.goingOnFails).isZero();
    }
  }

  @Test
  void undo_failsForGood_theRestGoesOnAndTheOperatorIsTold(RandomGenerator random) {
    try (World world = worldIn(Phase.FINAL_COPY, random, Host.Kind.COPIES)) {
      Objects.requireNonNull(world.source.blind).goingOnFails = Integer.MAX_VALUE;
      world.from.abort(new Reason("SLU-MIG-901", "by the test", ""));
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.ABORTED);
      assertThat(world.machine.runsAtSource).isTrue();
      assertThat(world.from.reason().orElseThrow().what()).contains("by the test", "ATTACH");
      Objects.requireNonNull(world.source.blind).goingOnFails = 0;
    }
  }

  @Test
  void record_isThereAndTheGuestDoesNotGoOnAtOnce_isTriedUntilItDoes(RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random, Host.Kind.COPIES)) {
      BlindGpu gpu = Objects.requireNonNull(world.target.blind);
      gpu.goingOnFails = 5;
      world.machine.resumeFails = 5;
      runUntilBothAreOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.DONE);
      MigrationTarget to = Objects.requireNonNull(world.to);
      assertThat(to.phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(to.reason()).isEmpty();
      assertThat(gpu.goingOnFails).isZero();
      assertThat(world.machine.resumeFails).isZero();
      assertThat(world.machine.runsAtTarget).isTrue();
      assertThat(world.target.runsGuest()).isTrue();
    }
  }

  /** The heap is full for a moment, and nobody knows whether it is written. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void record_errorWhileItIsWritten_isWrittenAndTheGuestGoesOn(
      boolean written, RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random)) {
      world.ledgerErrors = 3;
      world.ledgerWritesBeforeErrors = written;
      runUntilBothAreOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.DONE);
      assertThat(Objects.requireNonNull(world.to).phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(world.ledgerErrors).isZero();
      assertThat(world.machine.runsAtTarget).isTrue();
    }
  }

  /** It is this side's by then: whether the source is there plays no part any more. */
  @Test
  void record_isThereAndTheLinkEnds_theGuestGoesOnAllTheSame(RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random)) {
      world.machine.resumeFails = 5;
      for (int i = 0; i < MAX_STEPS && world.ledger.isEmpty(); i++) {
        world.step();
      }
      MigrationTarget to = Objects.requireNonNull(world.to);
      world.link.cut("by the test");
      for (int i = 0; i < MAX_STEPS && !to.phase().isOver(); i++) {
        world.step();
      }
      assertThat(to.phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(world.machine.runsAtTarget).isTrue();
    }
  }

  @Test
  void record_isThereAndItIsToBeGivenUp_theGuestGoesOnAllTheSame(RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random)) {
      world.machine.resumeFails = 5;
      for (int i = 0; i < MAX_STEPS && world.ledger.isEmpty(); i++) {
        world.step();
      }
      MigrationTarget to = Objects.requireNonNull(world.to);
      assertThat(to.phase()).isEqualTo(TargetPhase.COMMITTING);
      to.abort(new Reason("SLU-MIG-901", "by the test", ""));
      to.discardNow(new Reason("SLU-MIG-901", "by the test", ""));
      runUntilBothAreOver(world);
      assertThat(to.phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(world.machine.runsAtTarget).isTrue();
    }
  }

  @Test
  void record_isThereAndTheChannelsFailForGood_theMachineRunsAndTheOperatorIsTold(
      RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random, Host.Kind.COPIES)) {
      Objects.requireNonNull(world.target.blind).goingOnFails = Integer.MAX_VALUE;
      runUntilBothAreOver(world);
      MigrationTarget to = Objects.requireNonNull(world.to);
      assertThat(to.phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(to.reason().orElseThrow().code()).isEqualTo("SLU-MIG-037");
      assertThat(world.machine.runsAtTarget).isTrue();
      Objects.requireNonNull(world.target.blind).goingOnFails = 0;
    }
  }

  @Test
  void record_isThereAndTheMachineFailsForGood_theOperatorIsTold(RandomGenerator random) {
    try (World world = worldIn(Phase.RESTORE, random)) {
      world.machine.resumeFails = Integer.MAX_VALUE;
      runUntilBothAreOver(world);
      MigrationTarget to = Objects.requireNonNull(world.to);
      assertThat(to.phase()).isEqualTo(TargetPhase.RUNNING);
      assertThat(to.reason().orElseThrow().code()).isEqualTo("SLU-MIG-037");
      assertThat(to.reason().orElseThrow().what()).contains("by the test");
    }
  }

  /** Its machine is the destination's by then, and may have ended here. */
  @Test
  void commit_machineHereCannotBeLookedAt_theDestinationIsHeardAllTheSame(RandomGenerator random) {
    try (World world = worldIn(Phase.COMMIT, random)) {
      world.machine.lookFails = true;
      runUntilOver(world);
      assertThat(world.from.phase()).isEqualTo(Phase.DONE);
    }
  }

  private static void runUntilBothAreOver(World world) {
    for (int i = 0; !world.isOver() && i < MAX_STEPS; i++) {
      world.step();
    }
    assertThat(world.isOver()).isTrue();
  }

  private static void runUntilOver(World world) {
    for (int i = 0; !world.from.phase().isOver() && i < MAX_STEPS; i++) {
      world.step();
    }
    assertThat(world.from.phase().isOver()).isTrue();
  }

  private static World worldIn(Phase phase, RandomGenerator random) {
    return worldIn(phase, random, Host.Kind.APERTURE);
  }

  private static World worldIn(Phase phase, RandomGenerator random, Host.Kind kind) {
    for (int attempt = 0; attempt < MAX_WORLDS; attempt++) {
      World world = new World(random.nextLong(), SETTINGS, World.VRAM_BYTES, kind);
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
}
