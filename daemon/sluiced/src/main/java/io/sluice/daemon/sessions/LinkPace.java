package io.sluice.daemon.sessions;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The pace at which a session host is heard. What it says costs time, many times what the daemon
 * takes to read it; a host that is {@link #AHEAD_NS} ahead is read no further until that has
 * passed, and waits at its own full socket. So a host that says all it can takes a small part of
 * one processor; one that only serves its guest is never so far ahead.
 *
 * <p>Belongs to the thread that hears the host.
 */
final class LinkPace {
  /** The cost of a line, and of a read. */
  static final long EACH_NS = 50_000;

  /** The cost of a byte: a report of all sessions that a guest may have is some 400 KB. */
  static final long BYTE_NS = 200;

  /** What may be said at once. */
  static final long AHEAD_NS = 2_000_000_000;

  private final LongSupplier nanoTime;
  private final LongConsumer park;
  private long overNs; // when all that was said is paid for

  LinkPace(LongSupplier nanoTime) {
    this(nanoTime, LockSupport::parkNanos);
  }

  /**
   * @param park waits for so many nanoseconds, or less
   */
  LinkPace(LongSupplier nanoTime, LongConsumer park) {
    this.nanoTime = nanoTime;
    this.park = park;
    overNs = nanoTime.getAsLong();
  }

  /** Something was read; waits when it is too much. */
  void read(int bytes) {
    spend(EACH_NS + bytes * BYTE_NS);
  }

  /** A line is about to be taken; waits when there were too many. */
  void line() {
    spend(EACH_NS);
  }

  private void spend(long ns) {
    long nowNs = nanoTime.getAsLong();
    overNs = (overNs - nowNs > 0 ? overNs : nowNs) + ns;
    for (long left = overNs - nowNs - AHEAD_NS; left > 0; left = overNs - nowNs - AHEAD_NS) {
      park.accept(left);
      nowNs = nanoTime.getAsLong();
    }
  }
}
