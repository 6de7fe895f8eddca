package io.sluice.vdevice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RateLimit;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.protocol.MessageReader;
import io.sluice.vdevice.protocol.MessageWriter;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The acceptor of whoever connects to a guest's socket, on the thread that runs it, until it is
 * closed.
 */
final class Acceptor implements Runnable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

  /** How long the first message of somebody who was not admitted is waited for. */
  private static final int REFUSAL_WAIT_MS = 200;

  /** How long its end is waited for: many times as long as it takes. */
  private static final int END_WAIT_MS = 10_000;

  /** How long accepting pauses when it has failed. */
  private static final int RETRY_MS = 100;

  /** How often it is looked whether somebody can be accepted, or turned away, again. */
  private static final Duration ROOM_LOOK = Duration.ofMillis(100);

  /**
   * The place where clients are accepted.
   *
   * @param listener owned by the acceptor, in the custody: clients wait there, with what they send
   * @param foreign has the custody of the sockets of clients, and of what they send
   * @param log what is told about the guest
   * @param rate of connections
   */
  record ListeningPlace(
      Kernel kernel, Fd listener, ForeignFds foreign, GuestLog log, RateLimit rate) {}

  private final Kernel kernel;
  private final Fd listener;
  private final ForeignFds foreign;
  private final GuestLog log;
  private final RateLimit rate;
  private final DeviceCounters.Live counters;
  private final Predicate<Fd> admission;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private boolean running = true;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param admission takes a connection and owns it then, or returns false
   */
  Acceptor(ListeningPlace place, DeviceCounters.Live counters, Predicate<Fd> admission) {
    kernel = place.kernel();
    listener = place.listener();
    foreign = place.foreign();
    log = place.log();
    rate = place.rate();
    this.counters = counters;
    this.admission = admission;
  }

  @Override
  public void run() {
    try {
      while (!isClosed()) {
        try {
          if (!foreign.await(ForeignFds.MOST_TURNED_AWAY, ROOM_LOOK)) {
            continue; // whoever is turned away leaves another one there
          }
          if (rate.tryTake()) {
            acceptOne();
          } else {
            pause(rate.untilNextNs());
          }
        } catch (RuntimeException | Error e) {
          failed(e);
        }
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
    Fd accepted = foreign.apply(kernel.accept(listener));
    boolean admitted = false;
    try {
      admitted = admission.test(accepted);
      if (!admitted) {
        counters.connectionRefused();
        refuse(accepted);
      }
    } finally {
      if (!admitted) {
        accepted.close();
      }
    }
  }

  /**
   * Whatever happened to one client, the next one is accepted: no descriptors, memory or threads
   * are left, most likely, and all may come back.
   */
  private void failed(Throwable e) {
    if (isClosed()) {
      return;
    }
    try {
      log.at(LOG, Level.ERROR).log("a client could not be accepted", e);
    } catch (RuntimeException | Error _) {
      // Not even that can be said.
    }
    pause(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
  }

  /** Waits a moment, or until it is closed. */
  private void pause(long ns) {
    lock.lock();
    try {
      long _ = closed ? 0 : changed.awaitNanos(ns);
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
    log.at(LOG, Level.WARN).log("a second client was refused");
    short[] ready = new short[1];
    try (Arena arena = Arena.ofConfined()) {
      kernel.setNonBlocking(socket);
      MessageReader reader = new MessageReader(kernel, socket, foreign, arena);
      try {
        if (kernel.poll(List.of(socket), new short[] {Kernel.POLLIN}, ready, REFUSAL_WAIT_MS) > 0
            && reader.readHeader()) {
          new MessageWriter(kernel, socket, new ReentrantLock(), arena)
              .refuse(reader.header(), Errno.EBUSY);
        }
      } finally {
        reader.fds().closeAll();
      }
    } catch (SyscallException e) {
      log.at(LOG, Level.DEBUG).log("second client is gone", e);
    }
  }

  /** Accepts nobody any more, and waits a while for the thread; again, it does nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      if (listener.isOpen()) {
        kernel.shutdown(listener);
        awaitEnd();
        listener.close();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void awaitEnd() {
    long left = TimeUnit.MILLISECONDS.toNanos(END_WAIT_MS);
    try {
      while (running && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
