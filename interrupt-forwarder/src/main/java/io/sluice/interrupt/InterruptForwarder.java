package io.sluice.interrupt;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.guest.EventSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The forwarder, which waits for the events of guests and has each dispatch its own: one thread,
 * one {@code poll}.
 *
 * <p><b>Wake-ups.</b> A GPU's event makes its descriptor readable, which wakes this thread, which
 * signals the guest's eventfd: one hop between the two. For a while after an event the thread can
 * poll without sleeping, which takes the hop away from bursts and costs a core meanwhile; how long
 * is the operator's choice.
 *
 * <p><b>Lost wake-ups.</b> A descriptor stays readable until its guest has taken all records, so an
 * event that comes while others are dispatched ends the next wait at once.
 *
 * <p>A source whose dispatch fails is left out from then on and reported; the others go on. Where
 * the host fails, it is tried again for some seconds.
 */
public final class InterruptForwarder implements Runnable, AutoCloseable {
  /** Sources at one time. */
  public static final int MAX_SOURCES = 1024;

  /**
   * The observer, told of a source that was left out because it failed; on the forwarder's thread.
   */
  @FunctionalInterface
  public interface FailureHandler {
    void failed(EventSource source, Throwable cause);
  }

  private static final Logger log = LoggerFactory.getLogger(InterruptForwarder.class);
  private static final int FOREVER = -1;
  private static final long FAILED_NS = 100_000_000;

  /** Of one source, one after the other: some seconds. */
  static final int MOST_HOST_FAILURES = 30;

  private final Kernel kernel;
  private final LongSupplier clockNs;
  private final long spinNs;
  private final FailureHandler failures;
  private final Fd wake;
  private final AtomicLong waits = new AtomicLong();
  private final AtomicLong events = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition looked = lock.newCondition();

  @GuardedBy("lock")
  private final List<EventSource> sources = new ArrayList<>();

  @GuardedBy("lock")
  private long changes;

  @GuardedBy("lock")
  private long changesSeen;

  @GuardedBy("lock")
  private @Nullable Thread runner;

  @GuardedBy("lock")
  private boolean closed;

  private long failuresSoFar;

  // Of the running thread.
  private Watch watch = new Watch(List.of(), List.of());
  private long spinUntilNs;
  private boolean spinning;
  private @Nullable EventSource lastFailed;
  private int hostFailures;

  /**
   * @param clockNs monotonic time in nanoseconds
   * @param spinNs how long after an event to poll without sleeping; 0 always sleeps
   * @param failures told of sources that failed
   */
  public InterruptForwarder(
      Kernel kernel, LongSupplier clockNs, long spinNs, FailureHandler failures) {
    this.kernel = kernel;
    this.clockNs = clockNs;
    this.spinNs = spinNs;
    this.failures = failures;
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
  }

  /** From now on, the source's events are dispatched. */
  public void add(EventSource source) {
    lock.lock();
    try {
      if (sources.size() == MAX_SOURCES) {
        throw new IllegalStateException("too many sources, limit=" + MAX_SOURCES);
      }
      sources.add(source);
      change();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Leaves a source out. When this returns the forwarder does not use it any more, and it may be
   * closed; a listener that is called by the forwarder must not call this.
   */
  public void remove(EventSource source) {
    lock.lock();
    try {
      if (sources.remove(source)) {
        change();
      }
      long wanted = changes;
      while (runner != null && runner != Thread.currentThread() && changesSeen < wanted) {
        looked.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits that ended, those of a spin included. */
  public long waits() {
    return waits.get();
  }

  /** Events dispatched. */
  public long events() {
    return events.get();
  }

  /** Dispatches until {@link #close}. */
  @Override
  public void run() {
    begin();
    try {
      while (goOn()) {
        // until it is closed
      }
    } finally {
      end();
    }
  }

  /** One look and one wait; whatever fails but a source is tried again after a while. */
  private boolean goOn() {
    try {
      if (!look()) {
        return false;
      }
      int _ = dispatch(spinning ? 0 : FOREVER);
    } catch (RuntimeException | Error e) {
      failed(e);
    }
    return true;
  }

  /** The host has no memory left, most likely. Said ever more rarely while it lasts. */
  private void failed(Throwable cause) {
    lock.lock();
    try {
      failuresSoFar++;
      if (Long.bitCount(failuresSoFar) == 1) {
        log.atError()
            .setCause(cause)
            .addKeyValue("times", failuresSoFar)
            .log("guests' events could not be waited for; they are again");
      }
      changes++; // what was being taken over may not be complete
      long _ = closed ? 0 : looked.awaitNanos(FAILED_NS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error _) {
      // Not even that can be said.
    } finally {
      lock.unlock();
    }
  }

  /** Failures of the thread that were none of a source. */
  public long failures() {
    lock.lock();
    try {
      return failuresSoFar;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Dispatches what is there now, without waiting: one duty cycle, for whoever runs no thread of
   * its own for it.
   *
   * @return number of events
   */
  public int doWork() {
    begin();
    try {
      return look() ? dispatch(0) : 0;
    } finally {
      end();
    }
  }

  private void begin() {
    lock.lock();
    try {
      if (runner != null) {
        throw new IllegalStateException("it runs already, thread=" + runner);
      }
      runner = Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      runner = null;
      looked.signalAll();
      if (closed) {
        wake.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes over what was changed; false once closed. */
  private boolean look() {
    lock.lock();
    try {
      if (changesSeen != changes) {
        List<Fd> fds = new ArrayList<>(sources.size() + 1);
        fds.add(wake);
        sources.forEach(source -> fds.add(source.events()));
        watch = new Watch(List.copyOf(sources), fds);
        changesSeen = changes;
        looked.signalAll();
      } else if (watch.fds.isEmpty()) {
        watch = new Watch(List.of(), List.of(wake));
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private int dispatch(int timeoutMs) {
    int ready = kernel.poll(watch.fds, watch.wanted, watch.found, timeoutMs);
    waits.incrementAndGet();
    int dispatched = 0;
    if (ready > 0) {
      if (watch.found[0] != 0) {
        long _ = kernel.drain(wake);
      }
      for (int i = 0; i < watch.sources.size(); i++) {
        if (watch.found[i + 1] != 0) {
          dispatched += dispatch(watch.sources.get(i), watch.found[i + 1]);
        }
      }
    }
    plan(dispatched);
    return dispatched;
  }

  private int dispatch(EventSource source, short found) {
    try {
      if ((found & ~Kernel.POLLIN) != 0) {
        throw new IllegalStateException("the event descriptor broke, revents=" + found);
      }
      int dispatched = source.dispatchEvents();
      lastFailed = source == lastFailed ? null : lastFailed;
      events.addAndGet(dispatched);
      return dispatched;
    } catch (VirtualMachineError e) {
      return failedOfHost(source, e);
    } catch (RuntimeException | Error e) {
      leaveOut(source, e);
      return 0;
    }
  }

  /** A host without memory is no reason to leave a guest without interrupts, unless it lasts. */
  private int failedOfHost(EventSource source, VirtualMachineError cause) {
    hostFailures = source == lastFailed ? hostFailures + 1 : 1;
    lastFailed = source;
    if (hostFailures >= MOST_HOST_FAILURES) {
      leaveOut(source, cause);
      return 0;
    }
    throw cause;
  }

  /** Whether the next wait may sleep. */
  private void plan(int dispatched) {
    if (spinNs == 0) {
      return;
    }
    if (dispatched > 0) {
      spinning = true;
      spinUntilNs = clockNs.getAsLong() + spinNs;
    } else if (spinning && clockNs.getAsLong() - spinUntilNs >= 0) {
      spinning = false;
    }
  }

  private void leaveOut(EventSource source, Throwable cause) {
    log.atError().setCause(cause).log("a guest's events failed; it gets no interrupts any more");
    lock.lock();
    try {
      sources.remove(source);
      changes++;
    } finally {
      lock.unlock();
    }
    failures.failed(source, cause);
  }

  @GuardedBy("lock")
  private void change() {
    changes++;
    if (!closed) {
      kernel.signal(wake);
    }
  }

  /** Ends {@link #run}, and returns when it has ended. The sources are not touched. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      if (runner == null) {
        wake.close();
        return;
      }
      kernel.signal(wake);
      while (runner != null && runner != Thread.currentThread()) {
        looked.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The descriptors of one wait: the wake descriptor, then one per source. */
  private static final class Watch {
    final List<EventSource> sources;
    final List<Fd> fds;
    final short[] wanted;
    final short[] found;

    Watch(List<EventSource> sources, List<Fd> fds) {
      this.sources = sources;
      this.fds = fds;
      wanted = new short[fds.size()];
      found = new short[fds.size()];
      java.util.Arrays.fill(wanted, Kernel.POLLIN);
    }
  }
}
