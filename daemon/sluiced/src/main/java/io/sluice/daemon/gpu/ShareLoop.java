package io.sluice.daemon.gpu;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.OptionalLong;
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

  /** The changes that no rebalance has begun with: the most pressing stands for the rest. */
  private sealed interface Demand {
    /** None, as far as was noted. */
    record None() implements Demand {}

    /** A change of what guests use. */
    record UseChanged() implements Demand {}

    /**
     * An operator's change.
     *
     * @param sinceNs when the first of them was asked for
     */
    record OperatorAsked(long sinceNs) implements Demand {}

    /** Both. */
    static Demand of(Demand one, Demand other) {
      return switch (one) {
        case None _ -> other;
        case UseChanged _ -> other instanceof None ? one : other;
        case OperatorAsked(long sinceNs) ->
            other instanceof OperatorAsked(long otherNs) && otherNs - sinceNs < 0 ? other : one;
      };
    }

    /** Least time since the last rebalance. */
    default long intervalNs() {
      return switch (this) {
        case None _ -> TICK.toNanos();
        case UseChanged _ -> MIN_INTERVAL.toNanos();
        case OperatorAsked _ -> 0;
      };
    }
  }

  private final ShareDuties work;
  private final LongSupplier clock;
  private final DutyLoop loop;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition someServed = lock.newCondition();

  // Operators' changes so far, and those that guests are kept to.
  @GuardedBy("lock")
  private long asked;

  @GuardedBy("lock")
  private long served;

  // Written under the lock.
  private volatile Demand demand = new Demand.UseChanged();

  // Of the thread that works.
  private OptionalLong balancedNs = OptionalLong.empty();

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
    want(new Demand.UseChanged(), 0);
  }

  private void want(Demand more, int askedMore) {
    lock.lock();
    try {
      asked += askedMore;
      demand = Demand.of(demand, more);
    } finally {
      lock.unlock();
    }
    loop.kick();
  }

  /**
   * An operator has changed shares; from any thread.
   *
   * @param atNs when that was asked for
   */
  void noteUrgentChange(long atNs) {
    want(new Demand.OperatorAsked(atNs), 1);
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
    long sinceBalance = balancedNs.isPresent() ? nowNs - balancedNs.getAsLong() : Long.MAX_VALUE;
    if (sinceBalance >= demand.intervalNs()) {
      rebalance();
      balancedNs = OptionalLong.of(nowNs);
      sinceBalance = 0;
    }
    return Math.max(0, demand.intervalNs() - sinceBalance);
  }

  /**
   * The changes that a rebalance serves.
   *
   * @param upTo how many of operators, counted from the first
   */
  private record Serving(long upTo, Demand demand) {}

  private void rebalance() {
    Serving serving = take();
    long[] heldNs = new long[1];
    boolean[] held = new boolean[1];
    work.rebalance(() -> {
      noteServed(serving.upTo());
      if (!held[0]) {
        held[0] = true;
        heldNs[0] = clock.getAsLong();
      }
    });
    if (serving.demand() instanceof Demand.OperatorAsked(long sinceNs)) {
      if (held[0]) {
        work.onHeld((heldNs[0] - sinceNs) / NANOS_PER_MICRO);
      } else {
        want(serving.demand(), 0); // the next one serves it, at once
      }
    }
  }

  /** What changes from here on has another rebalance. */
  private Serving take() {
    lock.lock();
    try {
      Serving taken = new Serving(asked, demand);
      demand = new Demand.None();
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
