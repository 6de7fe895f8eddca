package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.machine.StopApproach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StopApproachTest {
  private static final long T = 5_000_000_000L;

  private final AskedMachine machine = new AskedMachine();
  private final MachineStop stop = new MachineStop(machine);
  private final StopApproach approach = new StopApproach(machine, stop::isNear, stop::lookOnceMore);

  @BeforeEach
  void standBy() {
    machine.standsBy = true;
    machine.prepared = false;
    machine.has(MachineStop.STAND_BY_BYTES);
    stop.works(true);
  }

  @Test
  void isMade_nothingTakesLong_atOnceAndForGood() {
    machine.prepared = true;
    assertThat(approach.isMade(T)).isTrue();
    machine.prepared = false; // it was so once
    assertThat(approach.isMade(T + StopApproach.PATIENCE_NS)).isTrue();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void isMade_machineHasMuch_isForLater() {
    machine.has(MachineStop.NEAR_BYTES + 1);
    assertThat(approach.isMade(T)).isTrue();
    assertThat(machine.asked).isEmpty();
    machine.has(MachineStop.NEAR_BYTES);
    assertThat(approach.isMade(T)).isFalse();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void isMade_somethingTakesLong_isWaitedFor() {
    assertThat(approach.isMade(T)).isFalse();
    assertThat(approach.isMade(T + StopApproach.PATIENCE_NS - 1)).isFalse();
    assertThat(machine.asked).containsExactly("approachStop");
  }

  @Test
  void isMade_hasEndedSoon_isMade() {
    assertThat(approach.isMade(T)).isFalse();
    machine.prepared = true;
    assertThat(approach.isMade(T + StopApproach.LONG_NS - 1)).isTrue();
    assertThat(stop.isReady(true)).isTrue();
  }

  /** What it has written while it stood by would be sent while its GPU has nothing to do. */
  @Test
  void isMade_hasEndedLate_machineGoesOnOnceMoreBefore() {
    assertThat(approach.isMade(T)).isFalse();
    machine.prepared = true;
    assertThat(approach.isMade(T + StopApproach.LONG_NS)).isFalse();
    assertThat(machine.kept).as("all is taken").isZero();
    assertThat(stop.isReady(true)).isFalse();
    machine.passes++;
    stop.works(true);
    assertThat(stop.isReady(true)).isTrue();
    assertThat(approach.isMade(T + StopApproach.LONG_NS)).isTrue();
  }

  @Test
  void isMade_takesTooLong_isMadeAllTheSame() {
    assertThat(approach.isMade(T)).isFalse();
    assertThat(approach.isMade(T + StopApproach.PATIENCE_NS)).as("once more").isFalse();
    assertThat(approach.isMade(T + StopApproach.PATIENCE_NS)).isTrue();
  }

  @Test
  void isMade_lateOfOneThatIsHeldBack_isMadeAtOnce() {
    AskedMachine other = new AskedMachine(); // cannot stand by
    other.prepared = false;
    other.has(MachineStop.HELD_BYTES);
    MachineStop held = new MachineStop(other);
    held.works(true);
    StopApproach its = new StopApproach(other, held::isNear, held::lookOnceMore);
    assertThat(its.isMade(T)).isFalse();
    assertThat(its.isMade(T + StopApproach.PATIENCE_NS)).isTrue();
  }
}
