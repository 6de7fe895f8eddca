package io.sluice.migrate.qemu;

/**
 * How often QEMU is asked how much it has left to copy. Each question takes its main loop, two
 * threads of ours and the lock that the machine's processors need, so it is asked rarely while much
 * is left, and often when the machine might stop soon.
 */
final class QueryPace {
  /** From here on a machine is near: what a link of 10 Gb/s takes within {@link #FAR_NS}. */
  private static final long NEAR_BYTES = 64L << 20;

  private static final long NEAR_NS = 5_000_000;
  private static final long FAR_NS = 50_000_000;

  private volatile boolean asked;
  private volatile long answeredNs;

  /**
   * Whether to ask now.
   *
   * @param nowNs of a monotonic clock
   * @param bytesLeft as QEMU said last; -1 unknown
   */
  boolean isDue(long nowNs, long bytesLeft) {
    return !asked || nowNs - answeredNs >= (bytesLeft > NEAR_BYTES ? FAR_NS : NEAR_NS);
  }

  /** QEMU has answered, or not. */
  void answered(long nowNs) {
    answeredNs = nowNs;
    asked = true;
  }
}
