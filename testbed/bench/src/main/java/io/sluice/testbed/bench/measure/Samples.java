package io.sluice.testbed.bench.measure;

import org.HdrHistogram.Histogram;

/**
 * Durations of one repeated operation: a histogram with percentiles to one part in ten thousand.
 */
public final class Samples {
  private static final int SIGNIFICANT_DIGITS = 4;

  private final Histogram ns = new Histogram(SIGNIFICANT_DIGITS);

  /** Adds a sample, in nanoseconds; a negative one is an error of the bench's. */
  public void add(long durationNs) {
    ns.recordValue(durationNs);
  }

  /** Number of samples. */
  public int count() {
    return Math.toIntExact(ns.getTotalCount());
  }

  /**
   * A percentile, in nanoseconds.
   *
   * @param fraction 0 to 1
   */
  public long percentile(double fraction) {
    if (count() == 0) {
      throw new IllegalStateException("no samples");
    }
    return ns.getValueAtPercentile(100 * fraction);
  }

  /** The median, in nanoseconds. */
  public long p50() {
    return percentile(0.50);
  }

  /** The 99th percentile, in nanoseconds. */
  public long p99() {
    return percentile(0.99);
  }
}
