package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that watches a GPU's channels, and does what the GPU wants to have done in the
 * background. Memory that moves, which takes its time, is another thread's: {@link ShareLoop}.
 */
final class WatchLoop {
  /** Longest time between two duty cycles. */
  static final Duration TICK = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(WatchLoop.class);

  /** The work of a duty cycle. */
  interface WatchDuties {
    /** Looks at the channels once. */
    void watch(long nowNs);

    /** Time from one look to the next in nanoseconds; {@link Long#MAX_VALUE} for never. */
    long watchDueInNs();

    /**
     * Does what the GPU wants to have done in the background; how long until again, in nanoseconds,
     * or {@link Long#MAX_VALUE}.
     */
    default long poll() {
      return Long.MAX_VALUE;
    }

    /** The end of each duty cycle. */
    default void afterwards() {}
  }

  private final WatchDuties work;
  private final DutyLoop loop;

  // Of the thread that works.
  private long watchedNs;
  private boolean watched;

  /**
   * @param clock monotonic nanoseconds
   */
  WatchLoop(WatchDuties work, LongSupplier clock) {
    this.work = work;
    loop = new DutyLoop(this::doWork, clock, new LoopFailures(LOG, "watching"));
  }

  /** The thread's work. */
  Runnable thread() {
    return loop;
  }

  /** Something is to be looked at; from any thread. */
  void kick() {
    loop.kick();
  }

  /** Ends the thread after its current duty cycle; does not wait for it. */
  void stop() {
    loop.stop();
  }

  /**
   * Does what is due.
   *
   * @param nowNs monotonic time
   * @return nanoseconds until something is due again, if nobody kicks before
   */
  long doWork(long nowNs) {
    long due = Math.min(TICK.toNanos(), Math.min(watch(nowNs), work.poll()));
    work.afterwards();
    return Math.max(0, due);
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
