package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.machine.MachineProgress.State;
import org.junit.jupiter.api.Test;

final class MachineStopTest {
  private static final long T = 5_000_000_000L;

  /** Of a GPU that would be stopped in the middle of a command. */
  private static final boolean WORKED = true;

  private static final boolean DID_NOTHING = false;

  private final AskedMachine machine = new AskedMachine();
  private final MachineStop stop = new MachineStop(machine);

  @Test
  void works_machineHasMuch_isNotHeldBack() {
    machine.has(MachineStop.HELD_BYTES + 1);
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
  }

  @Test
  void works_machineDoesNotSayYet_isNotHeldBack() {
    machine.has(-1);
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
    assertThat(stop.isKnown()).isFalse();
    assertThat(stop.isNear()).isFalse();
    assertThat(stop.bytesLeft()).isZero();
  }

  @Test
  void works_machineHasLittle_isHeldBackOnce() {
    machine.has(MachineStop.HELD_BYTES);
    stop.works(WORKED);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("holdBack");
  }

  /** What it wrote meanwhile would never be sent. */
  @Test
  void works_heldBackAndHasMuchAgain_goesOnUntilItHasLittle() {
    machine.has(MachineStop.HELD_BYTES);
    stop.works(WORKED);
    machine.has(MachineStop.NEAR_BYTES);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("holdBack");
    machine.has(MachineStop.NEAR_BYTES + 1);
    stop.works(WORKED);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("holdBack", "goOn");
    machine.has(MachineStop.HELD_BYTES);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("holdBack", "goOn", "holdBack");
  }

  @Test
  void works_mayAlreadyStop_isNotHeldBackAnyMore() {
    machine.has(0);
    assertThat(stop.drained(T, true, false)).isEqualTo(1);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("allowShortStop 0");
  }

  @Test
  void works_canStandByAndHasMuch_keepsSomeBackAndIsNotReady() {
    machine.standsBy = true;
    machine.has(MachineStop.STAND_BY_BYTES + 1);
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
    assertThat(machine.kept).isEqualTo(MachineStop.STAND_BY_BYTES);
    assertThat(stop.isNear()).isTrue();
    assertThat(stop.isReady(WORKED)).isFalse();
  }

  @Test
  void works_canStandByAndDoesNotSayYet_keepsSomeBackAndIsNotReady() {
    machine.standsBy = true;
    machine.has(-1);
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
    assertThat(machine.kept).isEqualTo(MachineStop.STAND_BY_BYTES);
    assertThat(stop.isReady(WORKED)).isFalse();
  }

  @Test
  void works_hasWhatItKeepsBack_isReady() {
    machine.standsBy = true;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
    assertThat(stop.isReady(WORKED)).isTrue();
  }

  /** It is taken without being asked, and the machine would stop. */
  @Test
  void works_hasLessThanIsTakenWithoutAsking_isHeldBack() {
    machine.standsBy = true;
    machine.has(MachineStop.TAKEN_BYTES - 1);
    stop.works(WORKED);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("holdBack");
    assertThat(stop.isReady(WORKED)).isTrue();
  }

  /** It passes over zeros in no time, and may then have little left that its stream is full of. */
  @Test
  void works_rateIsKnown_takesNoMoreAtOnceThanTheLinkCarriesUntilTheNextLook() {
    machine.standsBy = true;
    machine.has(Long.MAX_VALUE);
    stop.works(WORKED);
    assertThat(machine.step).isEqualTo(16 << 20);
    for (int tenth = 0; tenth <= 4; tenth++) {
      machine.sent = tenth * 100_000_000L;
      stop.look(T + tenth * 100_000_000L);
    }
    stop.works(WORKED);
    assertThat(machine.step).isEqualTo(60_000_000); // of 1 GB/s
    machine.has(64 << 20);
    stop.works(WORKED);
    assertThat(machine.step).isEqualTo(15_000_000);
  }

  @Test
  void works_hasStoppedByItself_isReadyAndAskedNothing() {
    machine.standsBy = true;
    machine.state = State.STOPPED;
    stop.works(WORKED);
    assertThat(machine.asked).isEmpty();
    assertThat(stop.isReady(WORKED)).isTrue();
  }

  /** What was written since it began would be sent while the GPU has nothing to do. */
  @Test
  void works_commandsAreShort_goesOnOnceMoreBeforeItIsReady() {
    machine.standsBy = true;
    machine.passes = 1;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(DID_NOTHING);
    assertThat(machine.kept).isZero();
    assertThat(stop.isReady(DID_NOTHING)).isFalse();
    stop.works(DID_NOTHING); // it has not looked yet
    assertThat(machine.kept).isZero();
    machine.passes = 2;
    machine.has(4L << 20);
    stop.works(DID_NOTHING);
    assertThat(machine.kept).isEqualTo(MachineStop.STAND_BY_BYTES);
    assertThat(stop.isReady(DID_NOTHING)).isFalse();
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(DID_NOTHING);
    assertThat(stop.isReady(DID_NOTHING)).isTrue();
    assertThat(machine.asked).isEmpty();
  }

  @Test
  void works_hasWrittenNextToNothing_isHeldBack() {
    machine.standsBy = true;
    machine.passes = 1;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(DID_NOTHING);
    machine.passes = 2;
    machine.has(4096);
    stop.works(DID_NOTHING);
    assertThat(machine.asked).containsExactly("holdBack");
    assertThat(stop.isReady(DID_NOTHING)).isTrue();
  }

  @Test
  void look_goesOnOnceMoreAndHasLittle_isTakenFromPieceByPiece() {
    machine.standsBy = true;
    machine.has(MachineStop.STAND_BY_BYTES);
    for (int tenth = 0; tenth <= 4; tenth++) {
      machine.sent = tenth * 10_000_000L;
      stop.look(T + tenth * 100_000_000L);
    }
    assertThat(machine.queueLimit).isGreaterThan(1);
    stop.works(DID_NOTHING);
    stop.look(T + 500_000_000L);
    assertThat(machine.queueLimit).isEqualTo(1);
    machine.passes = 1;
    stop.works(DID_NOTHING);
    stop.look(T + 500_000_002L);
    assertThat(machine.queueLimit).isGreaterThan(1);
  }

  @Test
  void drained_standsBy_mayStopForAMoment() {
    machine.standsBy = true;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(WORKED);
    assertThat(stop.drained(T, false, false)).isZero();
    assertThat(stop.drained(T + 5, true, false)).isEqualTo(1);
    assertThat(stop.idleNs(T + 9)).isEqualTo(9);
    assertThat(stop.settleNs(T + 9)).isEqualTo(5);
    stop.works(WORKED);
    assertThat(machine.asked).containsExactly("allowShortStop 0");
  }

  @Test
  void drained_machineIsHeldBack_mayStopForAMomentAndIsToldOnce() {
    machine.has(MachineStop.HELD_BYTES);
    stop.works(WORKED);
    assertThat(stop.drained(T, true, false)).isEqualTo(1);
    assertThat(stop.drained(T + 1, true, false)).isZero();
    assertThat(machine.asked).containsExactly("holdBack", "allowShortStop 0");
  }

  @Test
  void drained_machineDoesNotComeToThat_mayStopAsLongAsTheOperatorAllows() {
    machine.has(Long.MAX_VALUE);
    long late = T + MachineStop.SETTLE_NS + MachineStop.CATCH_UP_NS;
    assertThat(stop.drained(T, true, false)).isEqualTo(1);
    assertThat(stop.drained(late, true, false)).isZero();
    assertThat(stop.drained(late + 1, true, false)).isEqualTo(1);
    assertThat(stop.drained(late + 2, true, false)).isZero();
    assertThat(machine.asked).containsExactly("allowShortStop 0", "allowStop");
  }

  @Test
  void drained_worksAgainInBetween_catchesUpAnew() {
    machine.has(Long.MAX_VALUE);
    assertThat(stop.drained(T, false, false)).isZero();
    stop.works(WORKED);
    assertThat(stop.drained(T + 2 * MachineStop.SETTLE_NS, false, false)).isZero();
    assertThat(machine.asked).isEmpty();
  }

  @Test
  void drained_timeIsOver_isStoppedWhateverItHas() {
    machine.has(Long.MAX_VALUE);
    assertThat(stop.drained(T, false, true)).isEqualTo(2);
    assertThat(stop.drained(T + 9 * MachineStop.SETTLE_NS, true, true)).isZero();
    assertThat(machine.asked).containsExactly("allowShortStop 0", "forceStop");
  }

  @Test
  void drained_muchIsOnItsWayYet_isHeldBackIfLittleIsLeft() {
    machine.has(MachineStop.HELD_BYTES);
    assertThat(stop.drained(T, false, false)).isEqualTo(1);
    assertThat(stop.drained(T + MachineStop.SETTLE_NS, false, false)).isZero();
    assertThat(machine.asked).containsExactly("holdBack");
    assertThat(stop.idleNs(T + 7)).isEqualTo(7);
    assertThat(stop.drained(T + MachineStop.SETTLE_NS, true, false)).isEqualTo(1);
    assertThat(machine.asked).containsExactly("holdBack", "allowShortStop 0");
  }

  /** A link that is never empty, since the machine writes more than it carries. */
  @Test
  void drained_muchIsOnItsWayForLong_mayStopAllTheSame() {
    machine.has(Long.MAX_VALUE);
    assertThat(stop.drained(T, false, false)).isZero();
    assertThat(stop.drained(T + MachineStop.SETTLE_NS + 1, false, false)).isEqualTo(1);
    assertThat(machine.asked).containsExactly("allowShortStop 0");
  }

  @Test
  void drained_machineHasSent_isToldHowFastThatWent() {
    machine.has(Long.MAX_VALUE);
    for (int tenth = 0; tenth <= 4; tenth++) {
      machine.sent = tenth * 10_000_000L;
      stop.look(T + tenth * 100_000_000L);
    }
    stop.look(T + 3_000_000_000L); // held back, say
    assertThat(stop.drained(T + 3_000_000_000L, true, false)).isEqualTo(1);
    assertThat(machine.asked).containsExactly("allowShortStop 100000000");
  }

  @Test
  void look_rateUnknown_limitsNothing() {
    machine.has(Long.MAX_VALUE);
    machine.queued = 5_000_000;
    stop.look(T);
    assertThat(machine.queueLimit).isZero();
    assertThat(stop.queuedNs()).isZero();
  }

  @Test
  void look_machineHasMuchThenLittle_hasLessOnItsWay() {
    machine.has(MachineStop.NEAR_BYTES + 1);
    for (int tenth = 0; tenth <= 4; tenth++) {
      machine.sent = tenth * 10_000_000L;
      stop.look(T + tenth * 100_000_000L);
    }
    assertThat(machine.queueLimit).isEqualTo(5_000_000); // 50 ms of 100 MB/s
    machine.has(MachineStop.NEAR_BYTES);
    stop.look(T + 410_000_000L);
    assertThat(machine.queueLimit).isEqualTo(500_000);
    machine.queued = 2_000_000;
    assertThat(stop.queuedNs()).isEqualTo(20_000_000);
  }

  /** Between hosts that are far apart the way itself holds more than may wait before it. */
  @Test
  void look_longWay_mayHoldWhatTheWayTakes() {
    machine.has(MachineStop.NEAR_BYTES);
    stop.look(T);
    machine.queued = 8_000_000;
    stop.look(T + 20_000_000L);
    machine.sent = 8_000_000; // of which the last has taken 80 ms
    stop.look(T + 100_000_000L);
    assertThat(machine.queueLimit).isEqualTo(6_800_000); // 80 ms and 5 ms of 80 MB/s
  }

  /** A machine that sends next to nothing for the moment is not throttled to that. */
  @Test
  void look_slowWay_leavesRoomForAFewPieces() {
    machine.has(0);
    stop.look(T);
    machine.sent = 1000;
    stop.look(T + 100_000_000L);
    assertThat(machine.queueLimit).isEqualTo(256 << 10);
  }

  @Test
  void isNear_machineHasStopped_whateverItHas() {
    machine.has(Long.MAX_VALUE);
    assertThat(stop.isNear()).isFalse();
    machine.state = State.STOPPED;
    assertThat(stop.isNear()).isTrue();
    assertThat(stop.isStopped()).isTrue();
  }

  @Test
  void isNear_limit() {
    machine.has(MachineStop.NEAR_BYTES);
    assertThat(stop.isNear()).isTrue();
    machine.has(MachineStop.NEAR_BYTES + 1);
    assertThat(stop.isNear()).isFalse();
  }
}
