package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against what may happen to a claim. */
final class ClaimStateTest {
  /** The facts. */
  private record Facts(boolean waits, boolean claimed) {
    ClaimState state() {
      if (claimed) {
        return ClaimState.HELD;
      }
      return waits ? ClaimState.WAITING : ClaimState.NONE;
    }

    /** Those that one event makes of these. */
    Set<Facts> next() {
      Set<Facts> next = new HashSet<>();
      if (!claimed) {
        next.add(new Facts(true, false)); // it is not the guest's turn
        next.add(new Facts(false, false)); // there is no more work
        next.add(new Facts(false, true)); // it is the guest's turn
      } else {
        next.add(new Facts(false, false)); // it is given back
      }
      return next;
    }
  }

  @Test
  void states_allPairs_areThoseThatEventsReach() {
    Set<Map.Entry<ClaimState, ClaimState>> reached = new HashSet<>();
    Set<Facts> seen = new HashSet<>(List.of(new Facts(false, false)));
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
    for (ClaimState from : ClaimState.values()) {
      for (ClaimState to : ClaimState.values()) {
        assertThat(from.mayBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(reached.contains(Map.entry(from, to)));
      }
    }
  }
}
