package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a duty: does it, sleeps until it is due again or somebody kicks, and goes on
 * whatever fails.
 */
final class DutyLoop implements Runnable {
  /** Wait after a failure, so that one that lasts does not fill the log. */
  private static final long FAILED_NS = 1_000_000_000;

  private final LongUnaryOperator duty;
  private final LongSupplier clock;
  private final LoopFailures failures;
  private volatile @Nullable Thread thread;
  private volatile boolean stopped;

  /**
   * @param duty does what is due at a time, and says in how many nanoseconds something is again
   * @param clock monotonic nanoseconds
   * @param failures are told what the duty throws
   */
  DutyLoop(LongUnaryOperator duty, LongSupplier clock, LoopFailures failures) {
    this.duty = duty;
    this.clock = clock;
    this.failures = failures;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!stopped) {
      long due = doDuty();
      if (due > 0) {
        LockSupport.parkNanos(this, due); // a kick that came before it makes it return at once
      }
    }
  }

  private long doDuty() {
    try {
      return duty.applyAsLong(clock.getAsLong());
    } catch (RuntimeException | Error e) {
      // A bug of ours, or a host without memory: the next round may well work.
      failures.note(e);
      return FAILED_NS;
    }
  }

  /** Something is to be done; from any thread. */
  void kick() {
    LockSupport.unpark(thread);
  }

  /** Ends the thread after its current duty; does not wait for it. */
  void stop() {
    stopped = true;
    kick();
  }
}
