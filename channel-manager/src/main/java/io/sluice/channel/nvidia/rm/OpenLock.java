package io.sluice.channel.nvidia.rm;

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
    if (lock.tryLock()) {
      try {
        if (!closed) {
          operation.run();
        }
      } finally {
        lock.unlock();
      }
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
