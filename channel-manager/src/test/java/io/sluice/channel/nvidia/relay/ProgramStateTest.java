package io.sluice.channel.nvidia.relay;

import io.sluice.testbed.checks.FactWalk;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against plain facts about a program and what may happen to it. */
final class ProgramStateTest {
  /**
   * The facts of a program.
   *
   * @param onCard whether what it has submitted runs on the card, or may
   * @param held whether what it submits waits
   * @param moving whether it is being made anew
   */
  private record Facts(boolean onCard, boolean held, boolean moving, boolean ended) {
    ProgramState state() {
      if (ended) {
        return ProgramState.ENDED;
      }
      if (moving) {
        return ProgramState.RESUMING;
      }
      if (!onCard) {
        return ProgramState.SUSPENDED;
      }
      return held ? ProgramState.HOLDING : ProgramState.RUNNING;
    }

    /** Those that one event makes of these; empty when the program has ended. */
    Set<Facts> next() {
      if (ended) {
        return Set.of();
      }
      Set<Facts> next = new HashSet<>();
      next.add(new Facts(onCard, held, moving, true)); // it leaves, or is sent away
      if (onCard && !held) {
        next.add(new Facts(true, true, false, false)); // it is to be suspended
      }
      if (onCard && held) {
        next.add(new Facts(true, false, false, false)); // it does not come to rest
        next.add(new Facts(false, true, false, false)); // it rests, and leaves the card
      }
      if (!onCard && !moving) {
        next.add(new Facts(false, true, true, false)); // it is to be resumed
      }
      if (moving) {
        next.add(new Facts(true, false, false, false)); // all is there again
        next.add(new Facts(false, true, false, false)); // something cannot be made
      }
      return next;
    }
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    FactWalk.of(new Facts(true, false, false, false), Facts::next, Facts::state)
        .requireChanges(ProgramState.class, ProgramState::canBecome);
  }
}
