package io.sluice.migrate.wire;

/**
 * The time for which a peer has said nothing, by the clock of the side that hears it.
 *
 * <p>The thread that hears also looks at the clock from time to time, and takes what has come
 * before it looks. So a look proves that nothing had come when the look before was taken, and no
 * more: a thread that did not run for a while finds the time gone and the peer's words not yet
 * taken. A silence is therefore told as it was one look ago. It is known at most two looks after it
 * has become that long, and never because of this side alone.
 *
 * <p>Not to be shared between threads without a lock.
 */
final class PeerTimeout {
  private long heardNs;
  private long lookedNs;

  /**
   * @param nowNs when the peer was heard for the first time
   */
  PeerTimeout(long nowNs) {
    heardNs = nowNs;
    lookedNs = nowNs;
  }

  /**
   * Looks at the clock.
   *
   * @param lastHeardNs when the peer was heard last, as far as this connection knows
   * @param nowNs of the same clock, not before the last look
   * @return for how long it had said nothing at the last look but this one, in nanoseconds; 0 while
   *     it speaks
   */
  long look(long lastHeardNs, long nowNs) {
    heardNs = Math.max(heardNs, lastHeardNs);
    long silentNs = Math.max(0, lookedNs - heardNs);
    lookedNs = nowNs;
    return silentNs;
  }
}
