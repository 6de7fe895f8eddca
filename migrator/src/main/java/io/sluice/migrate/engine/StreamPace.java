package io.sluice.migrate.engine;

import io.sluice.migrate.machine.LiveMachine;

/**
 * The pace of a machine's own stream: how fast it goes, and how much of it may be on its way, so
 * that the link is never idle and the machine's last pass waits behind little.
 *
 * <p>One thread uses it.
 */
final class StreamPace {
  /** What may be taken of it until it is looked at again, when that is done often. */
  private static final long STEP_NS = 15_000_000;

  /** The same before. */
  private static final long FAR_STEP_NS = 60_000_000;

  private static final long MIN_STEP_BYTES = 1 << 20;

  /** The same until it is known what the link carries. */
  private static final long FIRST_STEP_BYTES = 16L << 20;

  /** What may wait before the way, so that it is never empty. */
  private static final long QUEUE_NS = 50_000_000;

  /** The same when the machine may stop soon: its last pass comes behind that. */
  private static final long SHORT_QUEUE_NS = 5_000_000;

  private static final long MIN_QUEUE_BYTES = 256 << 10;

  private final LiveMachine machine;
  private final LinkRate rate = new LinkRate(0);
  private final WayDelay delay = new WayDelay();

  StreamPace(LiveMachine machine) {
    this.machine = machine;
  }

  /** Looks how fast it goes. */
  void look(long nowNs) {
    long carried = machine.bytesCarried();
    rate.update(nowNs, carried);
    delay.look(nowNs, carried, machine.bytesQueued());
  }

  /** Bytes per second; 0 while that is not known. */
  long bytesPerSecond() {
    return rate.bestBytesPerSecond();
  }

  /**
   * Has no more of it on its way than the link needs; of any length while that is not known.
   *
   * @param near whether the machine may stop soon
   * @param slow whether it is to be taken piece by piece
   */
  void limitQueue(boolean near, boolean slow) {
    long best = bytesPerSecond();
    if (best > 0) {
      long longestNs = delay.shortestNs() + (near ? SHORT_QUEUE_NS : QUEUE_NS);
      machine.limitQueue(slow ? 1 : Math.max(MIN_QUEUE_BYTES, (long) (best * (longestNs / 1e9))));
    }
  }

  /**
   * Most bytes that are taken from one look to the next.
   *
   * @param close whether it is looked at often
   */
  long stepBytes(boolean close) {
    long best = bytesPerSecond();
    long ns = close ? STEP_NS : FAR_STEP_NS;
    return best == 0 ? FIRST_STEP_BYTES : Math.max(MIN_STEP_BYTES, (long) (best * (ns / 1e9)));
  }

  /** How long what is on its way takes; 0 while that is not known. */
  long queuedNs() {
    long best = bytesPerSecond();
    return best == 0 ? 0 : (long) (machine.bytesQueued() * 1e9 / best);
  }
}
