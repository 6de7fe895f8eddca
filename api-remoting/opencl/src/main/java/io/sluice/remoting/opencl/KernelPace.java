package io.sluice.remoting.opencl;

/** The time that a kernel takes for a work-item, as far as it was seen. */
final class KernelPace {
  /** What any command takes, at least. */
  static final long LEAST_NS = 1_000;

  /** As long as a window of commands: one that was not seen yet is looked at by itself. */
  static final long UNKNOWN_NS = 1_000_000;

  private static final double LEAST_FACTOR = 0.5;

  private double nsPerItem; // 0: not seen yet

  /** How long a launch is expected to take. */
  long estimateNs(long items) {
    return nsPerItem == 0 ? UNKNOWN_NS : Math.max(LEAST_NS, (long) (nsPerItem * items));
  }

  /** A launch that was alone took so long. */
  void seen(long items, long ns) {
    nsPerItem = (double) Math.max(1, ns) / Math.max(1, items);
  }

  /** Launches among others took so many times as long as was expected. */
  void correct(double factor) {
    nsPerItem *= Math.max(LEAST_FACTOR, factor);
  }
}
