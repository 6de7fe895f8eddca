package io.sluice.channel;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The one lock of a guest's tables. What happened to channels and memory under it is told after it
 * was left. Once closed, no call gets in.
 */
final class GuestLock {
  private final String guest;
  private final Supplier<List<ChannelError>> takeUntold;
  private final Consumer<ChannelError> listener;
  private final BooleanSupplier takeMemoryChanged;
  private final Runnable onMemoryChange;
  private final ReentrantLock lock = new ReentrantLock();

  // Written under the lock.
  private volatile boolean closed;

  /**
   * @param guest the operator's name of it, for messages
   * @param takeUntold gives, under the lock, the ends nobody was told of
   * @param listener told of each, without the lock
   * @param takeMemoryChanged says, under the lock, whether the use of memory is another
   * @param onMemoryChange told of that, without the lock
   */
  GuestLock(
      String guest,
      Supplier<List<ChannelError>> takeUntold,
      Consumer<ChannelError> listener,
      BooleanSupplier takeMemoryChanged,
      Runnable onMemoryChange) {
    this.guest = guest;
    this.takeUntold = takeUntold;
    this.listener = listener;
    this.takeMemoryChanged = takeMemoryChanged;
    this.onMemoryChange = onMemoryChange;
  }

  /** ENODEV once the guest is closed. */
  <T> T call(Supplier<T> operation) {
    enter();
    try {
      return operation.get();
    } finally {
      exit();
    }
  }

  /** ENODEV once the guest is closed. */
  void run(Runnable operation) {
    enter();
    try {
      operation.run();
    } finally {
      exit();
    }
  }

  /** For what may come when the guest is closed, and means nothing then. */
  void runIfOpen(Runnable operation) {
    lock.lock();
    try {
      if (!closed) {
        operation.run();
      }
    } finally {
      exit();
    }
  }

  /** For what must be done whether or not the guest is closed. */
  void runAlways(Runnable operation) {
    lock.lock();
    try {
      operation.run();
    } finally {
      exit();
    }
  }

  /**
   * Runs the first operation, then, whatever came of it, closes and runs the second; the listener
   * is not told. Nothing happens the second time.
   */
  void close(Runnable release, Runnable end) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      try {
        release.run();
      } finally {
        closed = true;
        end.run();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  private void enter() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw Refusal.closed(guest);
    }
  }

  private void exit() {
    List<ChannelError> tell = takeUntold.get();
    boolean memoryChanged = takeMemoryChanged.getAsBoolean();
    lock.unlock();
    if (memoryChanged) {
      onMemoryChange.run();
    }
    tell.forEach(listener);
  }
}
