package io.sluice.daemon.gpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that rebalances a GPU's memory. A change of what guests use has its rebalance at once,
 * changes that follow have one together after {@link #MIN_INTERVAL}; an operator's change, of which
 * there are only so many, is never put off. Without any change there is a rebalance each {@link
 * #TICK}, for what nobody noted.
 */
final class ShareLoop {
  /** Least time between two rebalances. */
  static final Duration MIN_INTERVAL = Duration.ofMillis(20);

  /** Longest time between two. */
  static final Duration TICK = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(ShareLoop.class);

  private static final long NANOS_PER_MICRO = 1000;

  /** The work of a duty cycle. */
  interface ShareDuties {
    /**
     * Keeps every guest to its share of memory.
     *
     * @param held runs as soon as every guest is, and may run again; what is left to do then keeps
     *     nobody waiting. Not at all if that is left for the next time
     */
    void rebalance(Runnable held);

    /** Guests are kept to an operator's changes, so long after the first was asked for. */
    default void onHeld(long afterUs) {}
  }

  private final ShareDuties work;
  private final LongSupplier clock;
  private final DutyLoop loop;

  private volatile boolean changed = true;
  private volatile boolean urgent;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition someServed = lock.newCondition();

  // Operators' changes so far, those that guests are kept to, and when the first
  // was asked for that no rebalance has begun with.
  @GuardedBy("lock")
  private long asked;

  @GuardedBy("lock")
  private long served;

  @GuardedBy("lock")
  private boolean waiting;

  @GuardedBy("lock")
  private long waitingSinceNs;

  // Of the thread that works.
  private long balancedNs;
  private boolean balanced;

  /**
   * @param clock monotonic nanoseconds
   */
  ShareLoop(ShareDuties work, LongSupplier clock) {
    this.work = work;
    this.clock = clock;
    loop = new DutyLoop(this::doWork, clock, new LoopFailures(LOG, "sharing"));
  }

  /** The thread's work. */
  Runnable thread() {
    return loop;
  }

  /** Shares may have changed; from any thread. */
  void noteChange() {
    changed = true;
    loop.kick();
  }

  /**
   * An operator has changed shares; from any thread.
   *
   * @param atNs when that was asked for
   */
  void noteUrgentChange(long atNs) {
    lock.lock();
    try {
      asked++;
      if (!waiting) {
        waiting = true;
        waitingSinceNs = atNs;
      }
      urgent = true;
    } finally {
      lock.unlock();
    }
    loop.kick();
  }

  /** Ends the thread after its current duty cycle; does not wait for it. */
  void stop() {
    loop.stop();
  }

  /**
   * Waits until guests are kept to what operators have asked for so far; from any thread but the
   * one that works.
   *
   * @param patience longest wait
   * @return false when that is not done yet
   */
  boolean awaitUrgentChanges(Duration patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long wanted = asked;
      long leftNs = patience.toNanos();
      while (served < wanted && leftNs > 0) {
        leftNs = someServed.awaitNanos(leftNs);
      }
      return served >= wanted;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does what is due.
   *
   * @param nowNs monotonic time
   * @return nanoseconds until something is due again, if no change is noted before
   */
  long doWork(long nowNs) {
    long sinceBalance = balanced ? nowNs - balancedNs : Long.MAX_VALUE;
    if (urgent || sinceBalance >= (changed ? MIN_INTERVAL : TICK).toNanos()) {
      rebalance();
      balanced = true;
      balancedNs = nowNs;
      sinceBalance = 0;
    }
    long due = (changed ? MIN_INTERVAL : TICK).toNanos() - sinceBalance;
    return urgent ? 0 : Math.max(0, due);
  }

  /** The operators' changes that a rebalance begins with. */
  private record Asked(long upTo, boolean any, long sinceNs) {}

  private void rebalance() {
    urgent = false; // what changes from here on has another rebalance
    changed = false;
    Asked serving = take();
    long[] heldNs = new long[1];
    boolean[] held = new boolean[1];
    work.rebalance(() -> {
      noteServed(serving.upTo());
      if (!held[0]) {
        held[0] = true;
        heldNs[0] = clock.getAsLong();
      }
    });
    if (serving.any() && held[0]) {
      work.onHeld((heldNs[0] - serving.sinceNs()) / NANOS_PER_MICRO);
    } else if (serving.any()) {
      putBack(serving);
    }
  }

  /** The next rebalance serves it, at once. */
  private void putBack(Asked unserved) {
    lock.lock();
    try {
      waiting = true;
      waitingSinceNs = unserved.sinceNs();
      urgent = true;
    } finally {
      lock.unlock();
    }
  }

  private Asked take() {
    lock.lock();
    try {
      Asked taken = new Asked(asked, waiting, waitingSinceNs);
      waiting = false;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void noteServed(long upTo) {
    lock.lock();
    try {
      served = Math.max(served, upTo);
      someServed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
