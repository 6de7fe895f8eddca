package io.sluice.migrate.engine;

/** The rate of a link, measured while it is kept busy. */
final class LinkRate {
  private static final long WINDOW_NS = 100_000_000;

  /** What the link may have before it when a machine is stopped. */
  private static final long SHORT_NS = 10_000_000;

  private final long expected;
  private long windowStartNs;
  private long windowBytes;
  private double measured;
  private double best;

  /**
   * @param expected bytes per second the operator knows of; 0 when nobody does
   */
  LinkRate(long expected) {
    this.expected = expected;
  }

  /** Looks at the link. */
  void update(long nowNs, long bytesGone) {
    if (windowStartNs == 0 || bytesGone < windowBytes) {
      windowStartNs = nowNs; // the first look, or one by another count
      windowBytes = bytesGone;
      return;
    }
    long ns = nowNs - windowStartNs;
    if (ns >= WINDOW_NS) {
      double now = (bytesGone - windowBytes) * 1e9 / ns;
      measured = measured == 0 ? now : (measured + now) / 2;
      best = Math.max(best, measured);
      windowStartNs = nowNs;
      windowBytes = bytesGone;
    }
  }

  /** Bytes per second when it was busiest, also while it is not; 0 while unknown. */
  long bestBytesPerSecond() {
    return (long) best;
  }

  /**
   * Whether a queue is next to nothing, by what the link carries when it is busy.
   *
   * @param bytes that wait
   * @param elseNs what waits elsewhere before the same link
   */
  boolean isShort(long bytes, long elseNs) {
    return (best <= 0 ? 0 : (long) (bytes * 1e9 / best)) + elseNs <= SHORT_NS;
  }

  /** Bytes per second; 0 while unknown. */
  double bytesPerSecond() {
    if (expected > 0) {
      return measured > 0 ? Math.min(expected, measured) : expected;
    }
    return measured;
  }

  /** How long bytes take; 0 while the rate is unknown. */
  long durationNs(long bytes) {
    double rate = bytesPerSecond();
    return rate <= 0 ? 0 : (long) (bytes * 1e9 / rate);
  }
}
