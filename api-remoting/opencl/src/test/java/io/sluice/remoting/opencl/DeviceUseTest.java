package io.sluice.remoting.opencl;

import io.sluice.testbed.checks.FactWalk;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All pairs of states, against what may happen to a claim. */
final class DeviceUseTest {
  /** The facts. */
  private record Facts(boolean waits, boolean claimed) {
    DeviceUse.Claim state() {
      if (claimed) {
        return DeviceUse.Claim.HELD;
      }
      return waits ? DeviceUse.Claim.WAITING : DeviceUse.Claim.NONE;
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
    FactWalk.of(new Facts(false, false), Facts::next, Facts::state)
        .requireChanges(DeviceUse.Claim.class, DeviceUse.Claim::mayBecome);
  }
}
