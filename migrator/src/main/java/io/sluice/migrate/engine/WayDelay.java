package io.sluice.migrate.engine;

/**
 * The delay of a way: how long what goes in takes until it has arrived when nothing waits before
 * it, the shortest time that was seen. So much is on its way at the way's full rate without waiting
 * anywhere. It is found by marking a byte that goes in, and looking when it has arrived.
 */
final class WayDelay {
  private static final long NONE = -1;

  private long markedByte = NONE;
  private long markedNs;
  private long shortestNs = Long.MAX_VALUE;

  /**
   * Looks at the way.
   *
   * @param carriedBytes that have arrived so far
   * @param queuedBytes that have gone in and not arrived
   */
  void look(long nowNs, long carriedBytes, long queuedBytes) {
    if (markedByte != NONE && carriedBytes >= markedByte) {
      shortestNs = Math.min(shortestNs, nowNs - markedNs);
      markedByte = NONE;
    }
    if (markedByte == NONE && queuedBytes > 0) {
      markedByte = carriedBytes + queuedBytes;
      markedNs = nowNs;
    }
  }

  /** Nanoseconds; 0 while nothing was seen to arrive. */
  long shortestNs() {
    return shortestNs == Long.MAX_VALUE ? 0 : shortestNs;
  }
}
