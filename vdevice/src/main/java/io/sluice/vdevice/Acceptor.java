package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts whoever connects to a guest's socket, on the thread that runs it, until it is closed. */
final class Acceptor implements Runnable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

  /** How long the first message of somebody who was not admitted is waited for. */
  private static final int REFUSAL_WAIT_MS = 200;

  /** How long accepting pauses when it has failed. */
  private static final int RETRY_MS = 100;

  private final Kernel kernel;
  private final String guest;
  private final Fd listener;
  private final DeviceCounters.Live counters;
  private final Predicate<Fd> admission;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private boolean running = true;
  private boolean closed;

  /**
   * @param guest its name, for the log
   * @param listener owned by this object
   * @param admission takes a connection and owns it then, or returns false
   */
  Acceptor(
      Kernel kernel,
      String guest,
      Fd listener,
      DeviceCounters.Live counters,
      Predicate<Fd> admission) {
    this.kernel = kernel;
    this.guest = guest;
    this.listener = listener;
    this.counters = counters;
    this.admission = admission;
  }

  @Override
  public void run() {
    try {
      while (!isClosed()) {
        acceptOne();
      }
    } finally {
      lock.lock();
      try {
        running = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void acceptOne() {
    try {
      Fd accepted = kernel.accept(listener);
      if (!admission.test(accepted)) {
        counters.connectionRefused();
        refuse(accepted);
      }
    } catch (SyscallException e) {
      if (!isClosed()) {
        // No descriptors or no memory left, most likely: both may come back.
        LOG.atError().addKeyValue("guest", guest).log("a client could not be accepted", e);
        pause();
      }
    }
  }

  /** Waits a moment, or until it is closed. */
  private void pause() {
    lock.lock();
    try {
      long _ = changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Answers the first message of somebody who cannot be admitted with EBUSY, if it comes soon. */
  private void refuse(Fd socket) {
    LOG.atWarn().addKeyValue("guest", guest).log("a second client was refused");
    short[] ready = new short[1];
    try (socket;
        Arena arena = Arena.ofConfined()) {
      kernel.setNonBlocking(socket);
      MessageReader reader = new MessageReader(kernel, socket, arena);
      if (kernel.poll(List.of(socket), new short[] {Kernel.POLLIN}, ready, REFUSAL_WAIT_MS) > 0
          && reader.readHeader()) {
        reader.fds().closeAll();
        new MessageWriter(kernel, socket, new ReentrantLock(), arena)
            .refuse(reader.header(), Errno.EBUSY);
      }
    } catch (SyscallException e) {
      LOG.atDebug().addKeyValue("guest", guest).log("second client is gone", e);
    }
  }

  /** Accepts nobody any more, and waits for the thread; again, it does nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      if (listener.isOpen()) {
        kernel.shutdown(listener);
        while (running) {
          changed.awaitUninterruptibly();
        }
        listener.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
