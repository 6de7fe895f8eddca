package io.sluice.remoting.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The gate before each message of an application's link: while it is shut nothing is read from the
 * connection, so that another host may read on.
 */
final class LinkGate implements AutoCloseable {
  private final Kernel kernel;
  private final Fd wake;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private boolean shut;

  @GuardedBy("lock")
  private boolean waiting; // the link's thread, at the gate

  @GuardedBy("lock")
  private boolean left; // another host reads the connection

  @GuardedBy("lock")
  private boolean closed;

  LinkGate(Kernel kernel) {
    this.kernel = kernel;
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
  }

  /**
   * Waits until the connection has something to be read and the gate is open; by its thread.
   *
   * @return false when another host reads the connection
   */
  boolean pass(Fd connection) {
    short[] ready = new short[2];
    while (ready[1] == 0) {
      if (!stopWhileShut()) {
        return false;
      }
      int _ =
          kernel.poll(
              List.of(wake, connection), new short[] {Kernel.POLLIN, Kernel.POLLIN}, ready, -1);
      if (ready[0] != 0) {
        long _ = kernel.drain(wake);
        ready[1] = 0; // looks at the gate first
      }
    }
    return true;
  }

  private boolean stopWhileShut() {
    lock.lock();
    try {
      waiting = true;
      changed.signalAll();
      while (shut && !left) {
        changed.awaitUninterruptibly();
      }
      waiting = false;
      return !left;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Shuts it.
   *
   * @return false when the application stops in the middle of a message, and it stays open
   */
  boolean shut(long patienceMs) throws InterruptedException {
    long leftNs = TimeUnit.MILLISECONDS.toNanos(patienceMs);
    lock.lockInterruptibly();
    try {
      if (closed) {
        return false;
      }
      shut = true;
      kernel.signal(wake);
      while (!waiting && leftNs > 0 && !closed) {
        leftNs = changed.awaitNanos(leftNs);
      }
      shut = waiting && !closed;
      return shut;
    } finally {
      lock.unlock();
    }
  }

  /** Opens it. */
  void open() {
    lock.lock();
    try {
      shut = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Another host reads the connection from now on. */
  void leave() {
    lock.lock();
    try {
      left = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether nobody passes any more. */
  boolean isOver() {
    lock.lock();
    try {
      return left || closed;
    } finally {
      lock.unlock();
    }
  }

  /** By the link's thread, at its end. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      wake.close();
    } finally {
      lock.unlock();
    }
  }
}
