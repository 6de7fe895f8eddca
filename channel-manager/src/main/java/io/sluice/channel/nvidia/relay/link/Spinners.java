package io.sluice.channel.nvidia.relay.link;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of the daemon that look for the next request of a program for a while before they
 * sleep: few at once, or programs that ask for little and often would keep all processors busy.
 */
final class Spinners {
  private static final int MOST = Math.max(1, Runtime.getRuntime().availableProcessors() / 4);
  private static final AtomicInteger NOW = new AtomicInteger();

  private Spinners() {}

  /** Whether one more may; who may leaves afterwards. */
  static boolean tryEnter() {
    if (NOW.incrementAndGet() <= MOST) {
      return true;
    }
    leave();
    return false;
  }

  static void leave() {
    int _ = NOW.decrementAndGet();
  }
}
