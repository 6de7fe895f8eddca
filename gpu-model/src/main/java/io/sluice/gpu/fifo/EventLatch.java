package io.sluice.gpu.fifo;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The latch of what a channel has raised and nobody has read yet: interrupts count as one, the
 * error comes once. Whoever may change the channel raises; whoever reads need not, so the latch has
 * a monitor of its own.
 */
public final class EventLatch {
  @GuardedBy("this")
  private boolean interrupt;

  @GuardedBy("this")
  private boolean error;

  @GuardedBy("this")
  private long interruptTimeNs;

  @GuardedBy("this")
  private long errorTimeNs;

  /** Whether an interrupt waits to be read. */
  public synchronized boolean hasInterrupt() {
    return interrupt;
  }

  /** Whether the error waits to be read. */
  public synchronized boolean hasError() {
    return error;
  }

  /** Takes the interrupt; GPU time of the first one. */
  public synchronized long takeInterrupt() {
    interrupt = false;
    return interruptTimeNs;
  }

  /** Takes the error; GPU time of it. */
  public synchronized long takeError() {
    error = false;
    return errorTimeNs;
  }

  /** Latches an interrupt; false when one waits already. */
  synchronized boolean raiseInterrupt(long timeNs) {
    if (interrupt) {
      return false;
    }
    interrupt = true;
    interruptTimeNs = timeNs;
    return true;
  }

  synchronized void raiseError(long timeNs) {
    error = true;
    errorTimeNs = timeNs;
  }
}
