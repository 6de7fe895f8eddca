package io.sluice.vdevice.pci;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SyscallException;
import io.sluice.abi.signal.LateSignals;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.interrupt.InterruptVectors;
import io.sluice.vdevice.protocol.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
 *
 * <p><b>A client can make a write block.</b> It shares the eventfd's open file: it can make it
 * blocking and fill its counter. So eventfds are signalled from inside the kernel, which never
 * waits. A host without asynchronous I/O has no such way: there {@link #close} frees whoever is
 * stuck by emptying the counter.
 *
 * <p><b>A client can make a write last.</b> It can have a million wait for the eventfd. So whoever
 * raises signals only as long as that is prompt; else {@link LateSignals} do.
 */
public final class VectorTable implements InterruptVectors {
  private static final Logger LOG = LoggerFactory.getLogger(VectorTable.class);
  private static final int CLOSE_TRIES = 100;
  private static final int CLOSE_TRY_MS = 20;

  /** The observer, told what may be signalled for a vector until it is told something else. */
  @FunctionalInterface
  public interface Observer {
    /**
     * @param eventfd not closed before the next change; null for nothing
     */
    void changed(int vector, @Nullable Fd eventfd);
  }

  private final Kernel kernel;
  private final @Nullable PromptSignals signals; // null: the host has none from inside the kernel
  private final LateSignals late;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong delivered = new AtomicLong();

  /** Changed under the lock; read without it to free whoever holds the lock. */
  private final AtomicReferenceArray<@Nullable Fd> eventfds =
      new AtomicReferenceArray<>(Limits.MAX_VECTORS);

  @GuardedBy("lock")
  private long pending;

  @GuardedBy("lock")
  private boolean held;

  @GuardedBy("lock")
  private Observer observer = (_, _) -> {};

  private volatile boolean closed;

  /**
   * @param signals of the guest, whoever is its client; null to signal by a write, which may block
   * @param threads makes one for signals that are not prompt
   */
  public VectorTable(Kernel kernel, @Nullable PromptSignals signals, ThreadFactory threads) {
    this.kernel = kernel;
    this.signals = signals;
    late = new LateSignals(this::signalLate, threads);
  }

  /** Has someone told of every change, under the lock. */
  public void observe(Observer newObserver) {
    lock.lock();
    try {
      observer = newObserver;
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts that this table sent to an eventfd. */
  public long delivered() {
    return delivered.get();
  }

  /** The pending-bit array: one bit per vector. */
  public long pending() {
    lock.lock();
    try {
      return pending;
    } finally {
      lock.unlock();
    }
  }

  /** Gives a vector its eventfd, which this table owns from here on, or takes it away. */
  public void assign(int vector, @Nullable Fd eventfd) {
    Fd old;
    lock.lock();
    try {
      old = eventfds.getAndSet(vector, eventfd);
      tell(vector);
      deliver(vector);
    } finally {
      lock.unlock();
    }
    if (old != null) {
      old.close(); // which lasts when many wait for it
    }
  }

  /** Takes every eventfd away; what is pending stays so. MSI-X was disabled. */
  void clear() {
    List<Fd> old = new ArrayList<>();
    lock.lock();
    try {
      for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
        Fd former = eventfds.getAndSet(vector, null);
        tell(vector);
        if (former != null) {
          old.add(former);
        }
      }
    } finally {
      lock.unlock();
    }
    old.forEach(Fd::close);
  }

  /**
   * Raises nothing any more, frees a thread that is stuck in a signal, and takes every eventfd
   * away. What a client that fights it for {@link #CLOSE_TRIES} turns gets is a thread that stays
   * stuck, and its own descriptors left open.
   */
  public void close() {
    closed = true;
    late.close();
    for (int i = 0; i < CLOSE_TRIES; i++) {
      try {
        if (lock.tryLock(CLOSE_TRY_MS, TimeUnit.MILLISECONDS)) {
          lock.unlock();
          clear();
          return;
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
      emptyCounters();
    }
    LOG.warn("a client keeps a thread of its device blocked in an eventfd; the thread is given up");
  }

  /** Makes room in every eventfd that has a count. */
  private void emptyCounters() {
    short[] found = new short[1];
    for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
      Fd eventfd = eventfds.get(vector);
      if (eventfd != null
          && kernel.poll(List.of(eventfd), new short[] {Kernel.POLLIN}, found, 0) > 0) {
        long _ = kernel.drain(eventfd);
      }
    }
  }

  /** Adds to what was raised and not delivered; while held. */
  public void restorePending(int bits) {
    lock.lock();
    try {
      pending |= bits;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a vector has somewhere to go. */
  public boolean isAssigned(int vector) {
    return eventfds.get(vector) != null;
  }

  /**
   * The vectors that have an eventfd, one bit each, and those eventfds, which stay this table's.
   */
  public long collect(List<Fd> into) {
    lock.lock();
    try {
      long assigned = 0;
      for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
        Fd eventfd = eventfds.get(vector);
        if (eventfd != null) {
          assigned |= 1L << vector;
          into.add(eventfd);
        }
      }
      return assigned;
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what was raised and not delivered. */
  public void forgetPending() {
    lock.lock();
    try {
      pending = 0;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int count() {
    return Limits.MAX_VECTORS;
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
  public void hold() {
    lock.lock();
    try {
      held = true;
      for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
        tell(vector);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #hold}: every vector with an eventfd fires once, whether it was raised or not. */
  public void release() {
    lock.lock();
    try {
      held = false;
      for (int vector = 0; vector < Limits.MAX_VECTORS; vector++) {
        tell(vector);
        if (eventfds.get(vector) != null) {
          pending |= 1L << vector;
        }
        deliver(vector);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void tell(int vector) {
    observer.changed(vector, held ? null : eventfds.get(vector));
  }

  @GuardedBy("lock")
  private void deliver(int vector) {
    Fd eventfd = eventfds.get(vector);
    if (!closed && !held && eventfd != null && (pending & 1L << vector) != 0) {
      pending &= ~(1L << vector);
      try {
        if (signals == null) {
          kernel.signal(eventfd);
        } else if (!signals.signal(eventfd)) {
          late.send(vector);
          return;
        }
        delivered.incrementAndGet();
      } catch (SyscallException e) {
        // One that cannot be written is of no use to anybody; the next one assigned starts afresh.
        LOG.warn("vector {} cannot be signalled", vector, e);
        eventfds.set(vector, null);
        tell(vector);
        eventfd.close();
      }
    }
  }

  /**
   * Signals by the thread for that, without the lock, by a descriptor of its own. One that comes
   * after {@link #hold} is one too many, which does no harm.
   */
  private void signalLate(int vector) {
    Fd own;
    lock.lock();
    try {
      pending |= 1L << vector; // stays so if there is no descriptor left
      Fd eventfd = eventfds.get(vector);
      if (closed || held || eventfd == null) {
        return;
      }
      own = kernel.dup(eventfd);
      pending &= ~(1L << vector);
    } finally {
      lock.unlock();
    }
    try (own) {
      kernel.signalForeign(own);
      delivered.incrementAndGet();
    }
  }
}
