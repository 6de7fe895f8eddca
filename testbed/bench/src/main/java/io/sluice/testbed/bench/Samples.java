package io.sluice.testbed.bench;

import java.util.Arrays;

/** Durations of one repeated operation, with exact percentiles. */
final class Samples {
  private final long[] ns;
  private int count;
  private boolean sorted;

  /**
   * @param capacity most samples it takes
   */
  Samples(int capacity) {
    ns = new long[capacity];
  }

  /** Adds a sample, in nanoseconds. */
  void add(long durationNs) {
    ns[count++] = durationNs;
    sorted = false;
  }

  /** Number of samples. */
  int count() {
    return count;
  }

  /**
   * An exact percentile, in nanoseconds.
   *
   * @param fraction 0 to 1
   */
  long percentile(double fraction) {
    if (count == 0) {
      throw new IllegalStateException("no samples");
    }
    if (!sorted) {
      Arrays.sort(ns, 0, count);
      sorted = true;
    }
    int index = (int) Math.ceil(fraction * count) - 1;
    return ns[Math.clamp(index, 0, count - 1)];
  }

  /** The median, in nanoseconds. */
  long p50() {
    return percentile(0.50);
  }

  /** The 99th percentile, in nanoseconds. */
  long p99() {
    return percentile(0.99);
  }
}
