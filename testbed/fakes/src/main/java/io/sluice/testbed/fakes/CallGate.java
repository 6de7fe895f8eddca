package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The gate that all calls of a fake go through: one lock, under which all of the fake's state is;
 * counts of the calls; failures that a test has planned; waits for a change.
 */
final class CallGate {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Failures failures = new Failures(); // guarded by lock

  void plan(String call, int n, Errno errno) {
    locked(() -> failures.plan(call, n, errno));
  }

  /** Failures that were planned and have not happened. */
  List<String> outstanding() {
    return locked(failures::outstanding);
  }

  long count(String call) {
    return locked(() -> failures.count(call));
  }

  /** Repeats an attempt that yields -1 after each change, unless the file is non-blocking. */
  long untilPossible(boolean nonBlocking, Attempt attempt) {
    long result = attempt.make();
    while (result == -1 && !nonBlocking) {
      await(Long.MAX_VALUE);
      result = attempt.make();
    }
    return result;
  }

  long await(long nanos) {
    try {
      return changed.awaitNanos(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted in a call of the fake kernel", e);
    }
  }

  <T> T call(String name, Supplier<T> body) {
    return locked(() -> {
      failures.enter(name);
      return body.get();
    });
  }

  void run(String name, Runnable body) {
    locked(() -> {
      failures.enter(name);
      body.run();
    });
  }

  void locked(Runnable body) {
    lock.lock();
    try {
      body.run();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  <T> T locked(Supplier<T> body) {
    lock.lock();
    try {
      return body.get();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  /** An attempt of a call: its result, or -1 when it has to wait. */
  @FunctionalInterface
  interface Attempt {
    long make();
  }
}
