package io.sluice.abi.sys;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * An open file descriptor with one owner, who closes it exactly once. A second close does nothing,
 * so that it can never hit a number that was handed out again.
 */
public final class Fd implements AutoCloseable {
  private final int number;
  private final IntConsumer closer;
  private final AtomicBoolean open = new AtomicBoolean(true);

  /**
   * @param number the descriptor's number, not negative
   * @param closer closes the number; called at most once
   */
  public Fd(int number, IntConsumer closer) {
    if (number < 0) {
      throw new IllegalArgumentException("a descriptor is not negative, number=" + number);
    }
    this.number = number;
    this.closer = closer;
  }

  /**
   * The number, to pass to a system call while this descriptor is open.
   *
   * @throws IllegalStateException after {@link #close}
   */
  public int number() {
    if (!open.get()) {
      throw new IllegalStateException("descriptor is closed, number=" + number);
    }
    return number;
  }

  /** Whether {@link #close} has not been called. */
  public boolean isOpen() {
    return open.get();
  }

  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      closer.accept(number);
    }
  }

  @Override
  public String toString() {
    return "fd " + number + (open.get() ? "" : " (closed)");
  }
}
