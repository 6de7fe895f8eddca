package io.sluice.remoting.session;

import io.sluice.remoting.session.CallIntake.IntakeState;
import io.sluice.remoting.session.CallIntake.LongCalls;
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

  /** The facts of the calls that take long. */
  private record LongFacts(boolean unwanted, boolean noneUnderWay) {
    LongCalls state() {
      if (!unwanted) {
        return LongCalls.TAKEN;
      }
      return noneUnderWay ? LongCalls.HELD : LongCalls.AWAITED;
    }

    /** Those that one event makes of these. */
    Set<LongFacts> next() {
      Set<LongFacts> next = new HashSet<>();
      next.add(new LongFacts(false, false)); // they are taken again
      next.add(unwanted ? new LongFacts(true, true) : new LongFacts(true, false));
      return next;
    }
  }

  @Test
  void longCalls_allPairs_areThoseThatEventsReach() {
    FactWalk.of(new LongFacts(false, false), LongFacts::next, LongFacts::state)
        .requireChanges(LongCalls.class, LongCalls::mayBecome);
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    FactWalk.of(new Facts(false, false, false), Facts::next, Facts::state)
        .requireChanges(IntakeState.class, IntakeState::mayBecome);
  }
}
