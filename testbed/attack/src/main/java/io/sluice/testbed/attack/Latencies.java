package io.sluice.testbed.attack;

import java.util.Arrays;

/** Durations that were measured, the last so many. */
final class Latencies {
  private static final int KEPT = 1 << 16;

  /** Nobody is to cost another one more. */
  private static final long LONG_NS = 1_000_000;

  // Guarded by this.
  private final long[] ns = new long[KEPT];
  private long count;
  private long longestNs;
  private long beyondNs;
  private long sinceNs = System.nanoTime();

  synchronized void add(long durationNs) {
    ns[(int) (count++ % KEPT)] = durationNs;
    longestNs = Math.max(longestNs, durationNs);
    beyondNs += Math.max(0, durationNs - LONG_NS);
  }

  synchronized void clear() {
    count = 0;
    longestNs = 0;
    beyondNs = 0;
    sinceNs = System.nanoTime();
  }

  /** The longest, in nanoseconds; 0 of none. */
  synchronized long longest() {
    return longestNs;
  }

  /** The part of the time since it was cleared in which somebody waited longer than 1 ms. */
  synchronized double lost() {
    return (double) beyondNs / Math.max(1, System.nanoTime() - sinceNs);
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
