package io.sluice.testbed.attack;

import java.util.Arrays;

/** Durations that were measured, the last so many. */
final class Latencies {
  private static final int KEPT = 1 << 16;

  // Guarded by this.
  private final long[] ns = new long[KEPT];
  private long count;

  synchronized void add(long durationNs) {
    ns[(int) (count++ % KEPT)] = durationNs;
  }

  synchronized void clear() {
    count = 0;
  }

  synchronized long count() {
    return count;
  }

  /** What so many of a thousand are not above, in nanoseconds; 0 of none. */
  long permille(int permille) {
    long[] sorted;
    synchronized (this) {
      sorted = Arrays.copyOf(ns, (int) Math.min(count, KEPT));
    }
    Arrays.sort(sorted);
    return sorted.length == 0 ? 0 : sorted[(int) ((long) (sorted.length - 1) * permille / 1000)];
  }
}
