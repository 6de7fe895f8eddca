package io.sluice.channel.nvidia.rm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The object handles of one client. RM lets the caller choose them; they are random, since the
 * driver's dma-buf export asks nothing of its caller but a client's and a memory's handle, and
 * clients are numbered consecutively.
 */
public final class RmHandles {
  /** RM numbers clients from here ... */
  private static final int FIRST_CLIENT = 0xc1d0_0000;

  /** ... and makes handles of its own up to here. */
  private static final int LAST_OWN = 0xcaff_ffff;

  private final RandomGenerator random;

  @GuardedBy("this")
  private final Set<Integer> used = new HashSet<>();

  RmHandles(RandomGenerator random) {
    this.random = random;
  }

  synchronized int take() {
    int handle;
    do {
      handle = random.nextInt();
    } while (handle == 0 || isRms(handle) || !used.add(handle));
    return handle;
  }

  synchronized void giveBack(int handle) {
    used.remove(handle);
  }

  private static boolean isRms(int handle) {
    return Integer.compareUnsigned(handle, FIRST_CLIENT) >= 0
        && Integer.compareUnsigned(handle, LAST_OWN) <= 0;
  }
}
