package io.sluice.gpu.fifo;

/**
 * What a channel has raised and nobody has read yet: interrupts count as one, the error comes once.
 */
public final class EventLatch {
  private boolean interrupt;
  private boolean error;
  private long interruptTimeNs;
  private long errorTimeNs;

  /** Whether an interrupt waits to be read. */
  public boolean hasInterrupt() {
    return interrupt;
  }

  /** Whether the error waits to be read. */
  public boolean hasError() {
    return error;
  }

  /** Takes the interrupt; GPU time of the first one. */
  public long takeInterrupt() {
    interrupt = false;
    return interruptTimeNs;
  }

  /** Takes the error; GPU time of it. */
  public long takeError() {
    error = false;
    return errorTimeNs;
  }

  /** Latches an interrupt; false when one waits already. */
  boolean raiseInterrupt(long timeNs) {
    if (interrupt) {
      return false;
    }
    interrupt = true;
    interruptTimeNs = timeNs;
    return true;
  }

  void raiseError(long timeNs) {
    error = true;
    errorTimeNs = timeNs;
  }
}
