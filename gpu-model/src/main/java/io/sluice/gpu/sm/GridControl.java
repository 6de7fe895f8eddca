package io.sluice.gpu.sm;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The flag by which the workers of a grid are stopped, and made to forget.
 *
 * <p>A worker that touches memory has entered, and looks at a flag every few microseconds. Who
 * quiesces a grid sets the flag and waits until all who have entered stand still; stopping sets it
 * for good.
 */
final class GridControl {
  /** The end of a worker whose grid was stopped. It carries no stack trace: it is no error. */
  static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  /** Whether workers have to look at what is asked of them. */
  private volatile boolean interrupted;

  @GuardedBy("this")
  private int pauses;

  @GuardedBy("this")
  private @Nullable GridOutcome stopped;

  @GuardedBy("this")
  private int entered;

  @GuardedBy("this")
  private int standing;

  /**
   * A worker wants to touch memory.
   *
   * @return false when the grid was stopped: it must not
   */
  synchronized boolean enter() {
    awaitNotPaused();
    if (stopped != null) {
      return false;
    }
    entered++;
    return true;
  }

  /** A worker touches memory no more. */
  synchronized void leave() {
    entered--;
    notifyAll();
  }

  /**
   * A worker looks whether something is asked of it.
   *
   * @return whether it was paused, so that the address space may have changed
   * @throws Stopped when the grid was stopped
   */
  boolean poll() {
    return interrupted && stand();
  }

  private synchronized boolean stand() {
    standing++;
    notifyAll();
    boolean wasPaused = awaitNotPaused();
    standing--;
    if (stopped != null) {
      throw new Stopped();
    }
    return wasPaused;
  }

  /** Waits while the grid is paused. */
  @GuardedBy("this")
  private boolean awaitNotPaused() {
    boolean wasPaused = pauses > 0;
    boolean interruptedThread = false;
    while (pauses > 0 && stopped == null) {
      try {
        wait();
      } catch (InterruptedException e) {
        interruptedThread = true;
      }
    }
    if (interruptedThread) {
      Thread.currentThread().interrupt();
    }
    return wasPaused;
  }

  /**
   * Returns when all workers have stood still at one time, or, once the grid is stopped, touch no
   * memory. Several threads may wait for that.
   */
  synchronized void quiesce() {
    pauses++;
    interrupted = true;
    awaitEntered();
    pauses--;
    interrupted = pauses > 0 || stopped != null;
    notifyAll();
  }

  /** Stops all workers; the first reason counts. */
  synchronized void stop(GridOutcome outcome) {
    if (stopped == null) {
      stopped = outcome;
    }
    interrupted = true;
    notifyAll();
  }

  @GuardedBy("this")
  private void awaitEntered() {
    boolean interruptedThread = false;
    while (entered > (stopped == null ? standing : 0)) {
      try {
        wait();
      } catch (InterruptedException e) {
        interruptedThread = true;
      }
    }
    if (interruptedThread) {
      Thread.currentThread().interrupt();
    }
  }

  synchronized boolean isIdle() {
    return entered == 0;
  }

  synchronized boolean isStopped() {
    return stopped != null;
  }

  /** How the grid ended. */
  synchronized GridOutcome outcome() {
    return stopped == null ? new GridOutcome.Completed() : stopped;
  }
}
