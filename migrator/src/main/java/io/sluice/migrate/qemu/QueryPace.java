package io.sluice.migrate.qemu;

/**
 * The pace at which QEMU is asked how much it has left to copy. Each question takes its main loop,
 * two threads of ours and the lock that the machine's processors need, so it is asked rarely while
 * much is left, and often when the machine might stop soon. The moment in which next to nothing is
 * left lasts for milliseconds, until QEMU looks for what was written meanwhile: it must not be
 * missed.
 */
final class QueryPace {
  /** From here on a machine is near: what a link of 10 Gb/s takes within {@link #FAR_NS}. */
  private static final long NEAR_BYTES = 64L << 20;

  /** From here on next to nothing may be left at the next look. */
  private static final long CLOSE_BYTES = 16L << 20;

  private static final long CLOSE_NS = 1_000_000;
  private static final long NEAR_NS = 5_000_000;
  private static final long FAR_NS = 20_000_000;

  private QueryPace() {}

  /**
   * How long to wait after an answer, in nanoseconds.
   *
   * @param bytesLeft as QEMU said last; -1 unknown
   * @param held whether QEMU is held back: what it has left, it keeps
   */
  static long betweenNs(long bytesLeft, boolean held) {
    if (bytesLeft > NEAR_BYTES) {
      return FAR_NS;
    }
    return bytesLeft < 0 || bytesLeft > CLOSE_BYTES || held ? NEAR_NS : CLOSE_NS;
  }
}
