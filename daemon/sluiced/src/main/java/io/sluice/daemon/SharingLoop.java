package io.sluice.daemon;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs {@link Sharing} on the thread that calls {@link #run}. */
final class SharingLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SharingLoop.class);

  /** How long to wait when it failed, so that a failure that lasts does not fill the log. */
  private static final long FAILED_NS = 1_000_000_000;

  private final LongSupplier clock;
  private volatile @Nullable Sharing sharing;
  private volatile Runnable afterwards = () -> {};
  private volatile @Nullable Thread thread;
  private volatile boolean stopped;

  /**
   * @param clock monotonic nanoseconds
   */
  SharingLoop(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * What to run; set before the thread starts.
   *
   * @param newAfterwards runs after each duty cycle
   */
  void setSharing(Sharing newSharing, Runnable newAfterwards) {
    sharing = newSharing;
    afterwards = newAfterwards;
  }

  @Override
  public void run() {
    Sharing running = sharing;
    if (running == null) {
      throw new IllegalStateException("nothing to run");
    }
    thread = Thread.currentThread();
    while (!stopped) {
      long due = doWork(running);
      if (due > 0) {
        LockSupport.parkNanos(this, due); // a wake that came before it makes it return at once
      }
    }
  }

  private long doWork(Sharing running) {
    try {
      long due = running.doWork(clock.getAsLong());
      afterwards.run();
      return due;
    } catch (RuntimeException | AssertionError e) {
      // A bug of ours: guests keep what they have, and the next round may well work.
      LOG.error("sharing failed", e);
      return FAILED_NS;
    }
  }

  /** Shares may have changed; from any thread. */
  void wake() {
    Sharing running = sharing;
    if (running != null) {
      running.noteChange();
    }
    nudge();
  }

  /** An operator has changed shares; from any thread. */
  void wakeUrgently() {
    Sharing running = sharing;
    if (running != null) {
      running.noteUrgentChange();
    }
    nudge();
  }

  /**
   * Waits until guests are kept to what operators have said so far.
   *
   * @return false when that is not done in time, or nobody does it
   */
  boolean awaitUrgentChanges(Duration patience) throws InterruptedException {
    Sharing running = sharing;
    return running != null && !stopped && running.awaitUrgentChanges(patience);
  }

  /** Something is to be done that is no change of shares; from any thread. */
  void nudge() {
    LockSupport.unpark(thread);
  }

  /** Ends the thread after its current duty cycle; does not wait for it. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }
}
