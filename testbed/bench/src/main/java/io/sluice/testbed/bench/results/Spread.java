package io.sluice.testbed.bench.results;

/**
 * The measurements behind a figure.
 *
 * @param count how many there were; 0 where nobody has said
 * @param p99 the figure at their 99th percentile, in its unit; NaN where it was not taken
 */
record Spread(long count, double p99) {
  static final Spread UNKNOWN = new Spread(0, Double.NaN);

  /** Fewer measurements have no hundredth part. */
  private static final int LEAST_FOR_P99 = 100;

  /** Those of so many measurements, without their p99 where they are too few for it. */
  static Spread of(long count, double p99) {
    return new Spread(count, count < LEAST_FOR_P99 ? Double.NaN : p99);
  }
}
