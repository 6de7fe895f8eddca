package io.sluice.daemon;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When a GPU's memory is rebalanced and its channels are watched: a duty cycle. A change of what
 * guests use has its rebalance at once, changes that follow have one together after {@link
 * #MIN_INTERVAL}; an operator's change, of which there are only so many, is never put off. Without
 * any change there is a rebalance each {@link #TICK}, for what nobody told of. The GPU is asked
 * each time whether it wants something done.
 */
final class Sharing {
  /** Least time between two rebalances. */
  static final Duration MIN_INTERVAL = Duration.ofMillis(20);

  /** Longest time between two. */
  static final Duration TICK = Duration.ofSeconds(1);

  /** What is done. */
  interface Work {
    /**
     * Keeps every guest to its share of memory.
     *
     * @param held runs as soon as every guest is; what is left to do then keeps nobody waiting
     */
    void rebalance(Runnable held);

    /** Looks at the channels once. */
    void watch(long nowNs);

    /** How long after a look the next is due, in nanoseconds; {@link Long#MAX_VALUE} for never. */
    long watchDueInNs();

    /**
     * Does what the GPU wants to have done now and then; how long until again, in nanoseconds, or
     * {@link Long#MAX_VALUE}.
     */
    default long tend() {
      return Long.MAX_VALUE;
    }
  }

  private final Work work;
  private volatile boolean changed = true;
  private volatile boolean urgent;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition someServed = lock.newCondition();

  // Guarded by lock: operators' changes so far, and those that guests are kept to.
  private long asked;
  private long served;

  // Of the thread that works.
  private long balancedNs;
  private boolean balanced;
  private long watchedNs;
  private boolean watched;

  Sharing(Work work) {
    this.work = work;
  }

  /** Shares may have changed; from any thread. */
  void noteChange() {
    changed = true;
  }

  /** An operator has changed shares; from any thread. */
  void noteUrgentChange() {
    lock.lock();
    try {
      asked++;
      urgent = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until guests are kept to what operators have said so far; from any thread but the one
   * that works.
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

  private long asked() {
    lock.lock();
    try {
      return asked;
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

  /**
   * Does what is due.
   *
   * @param nowNs monotonic time
   * @return nanoseconds until something is due again, if no change is noted before
   */
  long doWork(long nowNs) {
    long sinceBalance = balanced ? nowNs - balancedNs : Long.MAX_VALUE;
    if (urgent || sinceBalance >= (changed ? MIN_INTERVAL : TICK).toNanos()) {
      urgent = false; // what changes from here on has another rebalance
      changed = false;
      long serving = asked();
      work.rebalance(() -> noteServed(serving));
      balanced = true;
      balancedNs = nowNs;
      sinceBalance = 0;
    }
    long due = (changed ? MIN_INTERVAL : TICK).toNanos() - sinceBalance;
    due = Math.min(due, Math.min(watch(nowNs), work.tend()));
    return urgent ? 0 : Math.max(0, due);
  }

  private long watch(long nowNs) {
    long due = work.watchDueInNs();
    if (due == Long.MAX_VALUE) {
      watched = false;
      return due;
    }
    long since = watched ? nowNs - watchedNs : Long.MAX_VALUE;
    if (since < due) {
      return due - since;
    }
    work.watch(nowNs);
    watched = true;
    watchedNs = nowNs;
    return work.watchDueInNs();
  }
}
