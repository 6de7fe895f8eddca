package io.sluice.channel.guest;

import io.sluice.channel.Refusal;
import io.sluice.channel.state.ChannelError;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The one lock of a guest's tables. What happened to channels and memory under it is told after it
 * was left. Once closed, no call gets in.
 *
 * <p>What it guards is reached from actions that are handed to it, into which Error Prone does not
 * follow a lock: comments say it.
 */
final class GuestLock {
  private final String guest;
  private final GuestState state;
  private final GuestListener listener;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile MemorySharing sharing = MemorySharing.ALONE;

  // Written under the lock.
  private volatile boolean closed;

  /**
   * @param guest the operator's name of it, for messages
   * @param state what is guarded
   * @param listener told of each end of a channel, without the lock
   */
  GuestLock(String guest, GuestState state, GuestListener listener) {
    this.guest = guest;
    this.state = state;
    this.listener = listener;
  }

  /** Told of changes of memory, without the lock, and asked for room. */
  MemorySharing sharing() {
    return sharing;
  }

  void setSharing(MemorySharing newSharing) {
    sharing = newSharing;
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
   * Ends the state, then, whatever came of it, closes and runs the operation; the listener is not
   * told. Nothing happens the second time.
   */
  void close(Runnable end) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      try {
        state.close();
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

  /** For what needs no lock; ENODEV once the guest is closed. */
  void requireOpen() {
    if (closed) {
      throw Refusal.closed(guest);
    }
  }

  private void enter() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw Refusal.closed(guest);
    }
  }

  private void exit() {
    List<ChannelError> errors = state.channels.takeErrors();
    boolean memoryChanged = state.takeChanged();
    lock.unlock();
    if (memoryChanged) {
      sharing.changed();
    }
    errors.forEach(listener::onChannelError);
  }
}
