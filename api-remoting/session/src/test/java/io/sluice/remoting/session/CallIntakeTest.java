package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.remoting.session.CallIntake.IntakeState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against what may happen to a session that is paused. */
final class CallIntakeTest {
  /** The facts. */
  private record Facts(boolean paused, boolean toFinish, boolean told) {
    IntakeState state() {
      if (!paused) {
        return IntakeState.TAKING;
      }
      if (toFinish) {
        return IntakeState.FINISHING;
      }
      return told ? IntakeState.QUIET : IntakeState.SETTLING;
    }

    /** Those that one event makes of these. */
    Set<Facts> next() {
      Set<Facts> next = new HashSet<>();
      next.add(new Facts(true, true, false)); // a pause is asked for
      next.add(new Facts(false, false, false)); // calls are taken again
      if (paused) {
        next.add(new Facts(true, false, told)); // what was taken is brought to its end
      }
      if (paused && !toFinish) {
        next.add(new Facts(true, false, true)); // it has come to its end
      }
      return next;
    }
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    Set<Map.Entry<IntakeState, IntakeState>> reached = new HashSet<>();
    Set<Facts> seen = new HashSet<>(List.of(new Facts(false, false, false)));
    Deque<Facts> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      Facts from = open.remove();
      for (Facts to : from.next()) {
        if (from.state() != to.state()) {
          reached.add(Map.entry(from.state(), to.state()));
        }
        if (seen.add(to)) {
          open.add(to);
        }
      }
    }
    for (IntakeState from : IntakeState.values()) {
      for (IntakeState to : IntakeState.values()) {
        assertThat(from.mayBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(reached.contains(Map.entry(from, to)));
      }
    }
  }
}
