package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.FactWalk;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against what a move may do to a session. */
final class ServingStateTest {
  /** The facts. */
  private record Facts(boolean held, boolean left) {
    ServingState state() {
      if (left) {
        return ServingState.ELSEWHERE;
      }
      return held ? ServingState.HELD : ServingState.HERE;
    }

    /** Those that one event makes of these. */
    Set<Facts> next() {
      Set<Facts> next = new HashSet<>();
      next.add(new Facts(true, left)); // a move holds it
      next.add(new Facts(false, left)); // and releases it
      next.add(new Facts(held, true)); // another host goes on
      return next;
    }
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    FactWalk.of(new Facts(false, false), Facts::next, Facts::state)
        .requireChanges(ServingState.class, ServingState::mayBecome);
  }

  @Test
  void after_aWishThatTheTableDoesNotHave_isTheSame() {
    for (ServingState from : ServingState.values()) {
      for (ServingState wish : ServingState.values()) {
        assertThat(from.after(wish)).isEqualTo(from.mayBecome(wish) ? wish : from);
      }
    }
  }
}
