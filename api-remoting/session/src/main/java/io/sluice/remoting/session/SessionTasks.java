package io.sluice.remoting.session;

import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.UnmovableException;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

  /** How long the session's thread may be in a call of the library. */
  private static final int ANSWER_MS = 60_000;

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

  /** Waits for what a session's thread was asked. */
  static <T> T answer(CompletableFuture<T> result)
      throws UnmovableException, StateException, InterruptedException {
    return answer(result, ANSWER_MS);
  }

  /** Waits for what a session's thread was asked, for so long. */
  static <T> T answer(CompletableFuture<T> result, int patienceMs)
      throws UnmovableException, StateException, InterruptedException {
    try {
      return result.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new StateException("the session's thread does not answer, milliseconds=" + patienceMs);
    } catch (CancellationException _) {
      throw new StateException("the session has ended meanwhile");
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof UnmovableException unmovable) {
        throw unmovable;
      }
      if (failed.getCause() instanceof StateException lost) {
        throw lost;
      }
      throw new StateException("the session cannot be read: " + failed.getCause());
    }
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
