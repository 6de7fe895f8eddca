package io.sluice.remoting.session;

import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The work that other threads have a session's thread do for them, between calls. */
final class SessionTasks {
  private record Task<T>(Callable<T> work, CompletableFuture<T> result) {
    void run() {
      try {
        result.complete(work.call());
      } catch (Exception failure) {
        result.completeExceptionally(failure);
      }
    }
  }

  private final Runnable waker;
  private final Queue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  SessionTasks(Runnable waker) {
    this.waker = waker;
  }

  /** Has it done soon; the result is cancelled when the session ends before. From any thread. */
  <T> CompletableFuture<T> ask(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    tasks.add(new Task<>(work, result));
    waker.run();
    if (closed) {
      cancelAll();
    }
    return result;
  }

  /** Does what was asked; by the session's thread. */
  int run() {
    int count = 0;
    for (Task<?> task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      count++;
    }
    return count;
  }

  boolean areWaiting() {
    return !tasks.isEmpty();
  }

  /** Nothing is done any more. */
  void close() {
    closed = true;
    cancelAll();
  }

  private void cancelAll() {
    for (Task<?> task = tasks.poll(); task != null; task = tasks.poll()) {
      task.result.completeExceptionally(new CancellationException("the session has ended"));
    }
  }
}
