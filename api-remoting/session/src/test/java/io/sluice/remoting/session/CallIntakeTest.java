package io.sluice.remoting.session;

import io.sluice.remoting.session.CallIntake.IntakeState;
import io.sluice.testbed.checks.FactWalk;
import java.util.HashSet;
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
    FactWalk.of(new Facts(false, false, false), Facts::next, Facts::state)
        .requireChanges(IntakeState.class, IntakeState::mayBecome);
  }
}
