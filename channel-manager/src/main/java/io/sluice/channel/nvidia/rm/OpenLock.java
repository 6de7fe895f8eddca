package io.sluice.channel.nvidia.rm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The one lock of an open. Once it is closed, no call gets in.
 *
 * <p>What it guards is reached from actions that are handed to it, into which Error Prone does not
 * follow a lock: comments say it.
 */
public final class OpenLock {
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean closed; // written under the lock

  /** ENODEV once it is closed. */
  public void run(Runnable operation) {
    lock.lock();
    try {
      requireOpen();
      operation.run();
    } finally {
      lock.unlock();
    }
  }

  /** ENODEV once it is closed. */
  public <T> T ask(Supplier<T> question) {
    lock.lock();
    try {
      requireOpen();
      return question.get();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #run}; when it is closed nothing happens. */
  public void runIfOpen(Runnable operation) {
    lock.lock();
    try {
      if (!closed) {
        operation.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #runIfOpen}; nor does anything happen when somebody else has the lock. */
  public void runIfFree(Runnable operation) {
    runIfFree(0, operation);
  }

  /**
   * As {@link #runIfOpen}; nor does anything happen when somebody else keeps the lock.
   *
   * @param patienceNs longest wait for it, 0 or more
   */
  public void runIfFree(long patienceNs, Runnable operation) {
    if (tryLock(patienceNs)) {
      try {
        if (!closed) {
          operation.run();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean tryLock(long patienceNs) {
    try {
      return lock.tryLock() || patienceNs > 0 && lock.tryLock(patienceNs, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Runs the first, then, whatever came of it, closes and runs the second; once. */
  public void close(Runnable release, Runnable end) {
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

  /** Any thread. */
  public boolean isClosed() {
    return closed;
  }

  private void requireOpen() {
    if (closed) {
      throw RmRefusal.closed();
    }
  }
}
