package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.FactWalk;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against plain facts about a session and what may happen to it. */
final class GateStateTest {
  /** The facts of a session. */
  private record Facts(boolean held, boolean standing, boolean stood, boolean resumed) {
    GateState state() {
      if (stood) {
        return GateState.DECIDED;
      }
      if (standing) {
        return resumed ? GateState.OVERRULED : GateState.STANDING;
      }
      if (resumed) {
        return GateState.RESUMED;
      }
      return held ? GateState.HELD : GateState.COPYING;
    }

    /** Those that one event makes of these; empty when the session goes no further. */
    Set<Facts> next() {
      if (stood || resumed && !standing) {
        return Set.of();
      }
      Set<Facts> next = new HashSet<>();
      next.add(new Facts(true, standing, false, resumed)); // no call is taken
      next.add(new Facts(held, standing, false, true)); // the other host goes on
      if (held && !resumed) {
        next.add(new Facts(true, true, false, false)); // it stands
      }
      if (standing) {
        next.add(new Facts(true, false, true, resumed)); // it is decided
      }
      return next;
    }
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    FactWalk.of(new Facts(false, false, false, false), Facts::next, Facts::state)
        .requireChanges(GateState.class, GateState::mayBecome);
  }

  @Test
  void states_thatStand_areTwo() {
    assertThat(GateState.values())
        .filteredOn(GateState::isStanding)
        .containsExactly(GateState.STANDING, GateState.OVERRULED);
  }
}
