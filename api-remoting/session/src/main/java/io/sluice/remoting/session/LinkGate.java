package io.sluice.remoting.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.state.ServingState;
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
  private ServingState state = ServingState.HERE;

  @GuardedBy("lock")
  private boolean waiting; // the link's thread, at the gate

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
      while (state == ServingState.HELD) {
        changed.awaitUninterruptibly();
      }
      waiting = false;
      return state != ServingState.ELSEWHERE;
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
      state = state.after(ServingState.HELD);
      kernel.signal(wake);
      while (!waiting && leftNs > 0 && !closed) {
        leftNs = changed.awaitNanos(leftNs);
      }
      if (!waiting || closed) {
        state = state.after(ServingState.HERE);
      }
      return state == ServingState.HELD;
    } finally {
      lock.unlock();
    }
  }

  /** Opens it. */
  void open() {
    enter(ServingState.HERE);
  }

  /** Another host reads the connection from now on. */
  void leave() {
    enter(ServingState.ELSEWHERE);
  }

  private void enter(ServingState next) {
    lock.lock();
    try {
      state = state.after(next);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether nobody passes any more. */
  boolean isOver() {
    lock.lock();
    try {
      return closed || state == ServingState.ELSEWHERE;
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
