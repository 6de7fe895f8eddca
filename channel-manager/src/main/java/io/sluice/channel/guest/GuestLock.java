package io.sluice.channel.guest;

import io.sluice.channel.Refusal;
import io.sluice.channel.state.ChannelError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The one lock of a guest's tables. What happened to channels and memory under it is told after it
 * was left, and what was freed is given back to the GPU then, which may take long: whoever asks
 * about this guest for all guests does not wait for that. Once closed, no call gets in.
 *
 * <p>What it guards is reached from actions that are handed to it, into which Error Prone does not
 * follow a lock: comments say it.
 */
final class GuestLock {
  private final String guest;
  private final GuestState state;
  private final GuestListener listener;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition gaveBack = lock.newCondition();

  /** Held by whoever closes the guest, until it is. */
  private final ReentrantLock closing = new ReentrantLock();

  private final List<DeferredCall<?>> deferred = new CopyOnWriteArrayList<>();
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

  /** For {@link #callSoon}; before the lock is used. */
  <T> DeferredCall<T> newDeferredCall() {
    DeferredCall<T> call = new DeferredCall<>();
    deferred.add(call);
    return call;
  }

  /**
   * As {@link #call}; but if what the guest does now has the lock for longer, the operation is made
   * at the end of that, in place of one that was left behind before.
   *
   * @return what it brought, or what the one before did; nothing if neither was made
   */
  <T> Optional<T> callSoon(Duration patience, DeferredCall<T> call, Supplier<T> operation) {
    requireOpen();
    if (!isEntered(call.isWaiting() ? Duration.ZERO : patience)) {
      return call.defer(operation);
    }
    try {
      if (closed) {
        throw Refusal.closed(guest);
      }
      call.withdraw();
      return Optional.of(operation.get());
    } finally {
      exit();
    }
  }

  private boolean isEntered(Duration patience) {
    try {
      return lock.tryLock() || lock.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** As {@link #call}, once the GPU has taken back whatever was freed before. */
  <T> T callSettled(Supplier<T> operation) {
    enter();
    try {
      awaitGivenBack();
      if (closed) {
        throw Refusal.closed(guest);
      }
      return operation.get();
    } finally {
      exit();
    }
  }

  /** As {@link #run}, once the GPU has taken back whatever was freed before. */
  void runSettled(Runnable operation) {
    Object _ =
        callSettled(() -> {
          operation.run();
          return Boolean.TRUE;
        });
  }

  /**
   * For what may come when the guest is closed, and means nothing then; as {@link #callSettled}.
   */
  void runIfOpen(Runnable operation) {
    runAlways(() -> {
      if (!closed) {
        operation.run();
      }
    });
  }

  /** For what must be done whether or not the guest is closed; as {@link #callSettled}. */
  void runAlways(Runnable operation) {
    lock.lock();
    try {
      awaitGivenBack();
      operation.run();
    } finally {
      exit();
    }
  }

  /** Not for what is freed from now on: a guest that frees without end keeps nobody. */
  private void awaitGivenBack() {
    long freed = state.endings.last();
    while (state.endings.areUnderWay(freed)) {
      gaveBack.awaitUninterruptibly();
    }
  }

  /**
   * Ends the state, then, whatever came of it, runs the operation; the listener is not told.
   * Nothing happens the second time, but that it waits for the first.
   */
  void close(Runnable end) {
    closing.lock();
    try {
      if (!closed) {
        endState(end);
      }
    } finally {
      closing.unlock();
    }
  }

  private void endState(Runnable end) {
    try {
      releaseAll();
    } finally {
      endRegions(end);
    }
  }

  /** Whatever fails on the way, what had left the tables by then is given back. */
  private void releaseAll() {
    Endings.FreedBatch freed;
    lock.lock();
    try {
      closed = true;
      awaitGivenBack();
      state.releaseAll();
    } finally {
      freed = state.endings.begin();
      lock.unlock();
      boolean _ = giveBack(freed);
    }
  }

  private void endRegions(Runnable end) {
    lock.lock();
    try {
      state.releaseRegions();
    } finally {
      try {
        end.run();
      } finally {
        lock.unlock();
      }
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
    requireOpen(); // whoever closes it may have the lock for long
    lock.lock();
    if (closed) {
      lock.unlock();
      throw Refusal.closed(guest);
    }
  }

  private void exit() {
    if (!closed) {
      deferred.forEach(DeferredCall::makeIfWaiting);
    }
    List<ChannelError> errors = state.channels.takeErrors();
    boolean memoryChanged = state.takeChanged();
    Endings.FreedBatch freed = state.endings.begin();
    lock.unlock();
    try {
      memoryChanged |= giveBack(freed);
    } finally {
      if (memoryChanged) {
        sharing.changed();
      }
      errors.forEach(listener::onChannelError);
    }
  }

  /** Whether the use of memory is another after it. */
  private boolean giveBack(Endings.FreedBatch batch) {
    if (batch.isEmpty()) {
      return false;
    }
    batch.giveBack();
    lock.lock();
    try {
      state.endings.end(batch);
      return state.takeChanged();
    } finally {
      gaveBack.signalAll();
      lock.unlock();
    }
  }
}
