package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.machine.StopApproach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StopApproachTest {
  private static final long T = 5_000_000_000L;

  private final AskedMachine machine = new AskedMachine();
  private final MachineStop stop = new MachineStop(machine);
  private boolean early = true;
  private final StopApproach approach = stop.approach(() -> early);

  @BeforeEach
  void standBy() {
    machine.standsBy = true;
    machine.prepared = false;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(true);
  }

  @Test
  void advance_nothingTakesLong_atOnceAndForGood() {
    machine.prepared = true;
    assertThat(approach.advance(T)).isTrue();
    machine.prepared = false; // it was so once
    assertThat(approach.advance(T + StopApproach.PATIENCE_NS)).isTrue();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void advance_machineHasMuch_isForLater() {
    machine.has(MachineStop.NEAR_BYTES + 1);
    assertThat(approach.advance(T)).isTrue();
    assertThat(machine.asked).isEmpty();
    machine.has(MachineStop.NEAR_BYTES);
    assertThat(approach.advance(T)).isFalse();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  /** Access was taken back when it had much left. */
  @Test
  void look_onceItIsNear_tellsTheMachineAndWaitsForNothing() {
    machine.has(MachineStop.NEAR_BYTES + 1);
    approach.look(T);
    assertThat(machine.asked).isEmpty();
    machine.has(MachineStop.NEAR_BYTES);
    approach.look(T);
    approach.look(T + StopApproach.PATIENCE_NS);
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void advance_somethingTakesLong_isWaitedFor() {
    assertThat(approach.isWaiting()).isFalse();
    assertThat(approach.advance(T)).isFalse();
    assertThat(approach.isWaiting()).isTrue();
    assertThat(approach.advance(T + StopApproach.PATIENCE_NS - 1)).isFalse();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void advance_hasEndedSoon_isMade() {
    assertThat(approach.advance(T)).isFalse();
    machine.prepared = true;
    assertThat(approach.advance(T + StopApproach.LONG_NS - 1)).isTrue();
    assertThat(stop.isReady(true)).isTrue();
  }

  /** What it has written while it stood by would be sent while its GPU has nothing to do. */
  @Test
  void advance_hasEndedLate_machineGoesOnOnceMoreBefore() {
    assertThat(approach.advance(T)).isFalse();
    machine.prepared = true;
    assertThat(approach.advance(T + StopApproach.LONG_NS)).isFalse();
    assertThat(machine.kept).as("all is taken").isZero();
    assertThat(stop.isReady(true)).isFalse();
    machine.passes++;
    stop.works(true);
    assertThat(stop.isReady(true)).isTrue();
    assertThat(approach.advance(T + StopApproach.LONG_NS)).isTrue();
  }

  /** It would stand until what its GPU does has ended. */
  @Test
  void advance_hasEndedLateAndMayNotBeEarly_standsBy() {
    early = false;
    assertThat(approach.advance(T)).isFalse();
    machine.prepared = true;
    assertThat(approach.advance(T + StopApproach.LONG_NS)).isTrue();
    assertThat(machine.kept).isEqualTo(MachineStop.STAND_BY_BYTES);
    assertThat(stop.isReady(true)).isTrue();
  }

  @Test
  void advance_takesTooLong_isMadeAllTheSame() {
    assertThat(approach.advance(T)).isFalse();
    assertThat(approach.advance(T + StopApproach.PATIENCE_NS)).as("once more").isFalse();
    assertThat(approach.advance(T + StopApproach.PATIENCE_NS)).isTrue();
  }

  @Test
  void advance_lateOfOneThatIsHeldBack_isMadeAtOnce() {
    AskedMachine other = new AskedMachine(); // cannot stand by
    other.prepared = false;
    other.has(MachineStop.HELD_BYTES);
    MachineStop held = new MachineStop(other);
    held.works(true);
    StopApproach its = held.approach(() -> true);
    assertThat(its.advance(T)).isFalse();
    assertThat(its.advance(T + StopApproach.PATIENCE_NS)).isTrue();
  }
}
