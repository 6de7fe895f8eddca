package io.sluice.vdevice;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.SyscallException;
import io.sluice.interrupt.InterruptVectors;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The MSI-X vectors of a device: which eventfd each one signals.
 *
 * <p>An interrupt that cannot be delivered, because its vector has no eventfd or because interrupts
 * are held back, is kept as a pending bit and delivered when it can be; that is what a PCI
 * function's pending-bit array does. Interrupts are hints, so several of them count as one.
 *
 * <p>Any thread may raise. The lock makes sure that a descriptor is not closed, and its number
 * reused, between the look at the table and the signal.
 */
final class VectorTable implements InterruptVectors {
  /** Vector 0 for calls and events, the others for channels. */
  static final int MAX_VECTORS = 17;

  private static final Logger LOG = LoggerFactory.getLogger(VectorTable.class);

  private final Kernel kernel;
  private final ReentrantLock lock = new ReentrantLock();

  // All guarded by lock.
  private final @Nullable Fd[] eventfds = new @Nullable Fd[MAX_VECTORS];
  private long pending;
  private boolean held;
  private long delivered;

  VectorTable(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Interrupts that reached an eventfd. */
  long delivered() {
    lock.lock();
    try {
      return delivered;
    } finally {
      lock.unlock();
    }
  }

  /** The pending-bit array: one bit per vector. */
  long pending() {
    lock.lock();
    try {
      return pending;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a vector its eventfd, which this table owns from here on, or takes it away. */
  void assign(int vector, @Nullable Fd eventfd) {
    lock.lock();
    try {
      Fd old = eventfds[vector];
      eventfds[vector] = eventfd;
      if (old != null) {
        old.close();
      }
      deliver(vector);
    } finally {
      lock.unlock();
    }
  }

  /** Takes every eventfd away; what is pending stays so. MSI-X was disabled. */
  void clear() {
    lock.lock();
    try {
      for (int vector = 0; vector < MAX_VECTORS; vector++) {
        Fd old = eventfds[vector];
        eventfds[vector] = null;
        if (old != null) {
          old.close();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what was raised and not delivered. */
  void forgetPending() {
    lock.lock();
    try {
      pending = 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int count() {
    return MAX_VECTORS;
  }

  @Override
  public void raise(int vector) {
    lock.lock();
    try {
      pending |= 1L << vector;
      deliver(vector);
    } finally {
      lock.unlock();
    }
  }

  /** Signals no eventfd until {@link #release}. */
  void hold() {
    lock.lock();
    try {
      held = true;
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #hold}: every vector with an eventfd fires once, whether it was raised or not. */
  void release() {
    lock.lock();
    try {
      held = false;
      for (int vector = 0; vector < MAX_VECTORS; vector++) {
        if (eventfds[vector] != null) {
          pending |= 1L << vector;
        }
        deliver(vector);
      }
    } finally {
      lock.unlock();
    }
  }

  private void deliver(int vector) {
    Fd eventfd = eventfds[vector];
    if (!held && eventfd != null && (pending & 1L << vector) != 0) {
      pending &= ~(1L << vector);
      try {
        kernel.signal(eventfd);
        delivered++;
      } catch (SyscallException e) {
        // One that cannot be written is of no use to anybody; the next one assigned starts afresh.
        LOG.warn("vector {} cannot be signalled", vector, e);
        eventfds[vector] = null;
        eventfd.close();
      }
    }
  }
}
