package io.sluice.daemon.turns;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RateLimit;
import io.sluice.abi.signal.GuestSignals;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.TurnPage;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keeper of turns: a thread that sees to the rota of each device when a host tells of a change,
 * and every few milliseconds while somebody waits. Hosts that tell of changes without end do not
 * make it work without end: it takes {@link #STEPS} steps at once, and one each {@link #STEP} after
 * that. A rota whose step fails is looked at again, as all others are.
 */
public final class TurnKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TurnKeeper.class);

  /** What hosts call the processors. */
  private static final String PROCESSORS = "processors";

  /** Devices that all hosts of a guest may name together. */
  static final int MOST_NAMES = TurnPage.MOST_DEVICES;

  /** Steps at once, and the time between them in the long run. */
  static final int STEPS = 20;

  static final Duration STEP = Duration.ofNanos(500_000);

  private final Kernel kernel;
  private final LongSupplier nanoTime;
  private final GuestSignals signals;
  private final ThreadFactory threads;
  private final Function<String, Quota> quotas;
  private final RateLimit pace;
  private final LoopFailures failures = new LoopFailures(LOG, "turns");
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Map<String, DeviceRota> rotas = new HashMap<>();

  @GuardedBy("lock")
  private final Set<TurnSeat> named = new HashSet<>();

  @GuardedBy("lock")
  private boolean poked;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param quotas of guests, by name; asked by the keeper's thread
   */
  public TurnKeeper(
      Kernel kernel, ThreadFactory threads, LongSupplier nanoTime, Function<String, Quota> quotas) {
    this.kernel = kernel;
    this.nanoTime = nanoTime;
    this.threads = threads;
    signals = new GuestSignals(kernel, nanoTime);
    this.quotas = quotas;
    pace = new RateLimit(STEPS, STEP, nanoTime);
    thread = threads.newThread(this::run);
    thread.setName("sluice-turns");
    thread.start();
  }

  /**
   * A seat for a new session host.
   *
   * @param process the host's
   * @param end ends the host, and says why; does not wait
   */
  public TurnSeat join(String guest, Process process, Consumer<String> end) {
    long pid = process.pid();
    return new TurnSeat(
        kernel,
        guest,
        () -> process.isAlive() ? ProcessorTime.ofNs(pid) : 0L,
        signals.peerOf(guest),
        threads,
        end);
  }

  /**
   * The host has named its devices. One that does so again, or whose guest's hosts name more than
   * there may be, is ended.
   *
   * @param devices by their numbers
   */
  public void name(TurnSeat seat, List<String> devices) {
    lock.lock();
    try {
      if (seat.isClosed()) {
        return; // its host is at its end, and heard late
      }
      if (!named.add(seat)) {
        seat.end("it names its devices twice");
        return;
      }
      Set<String> names = namesOf(seat.guest());
      names.addAll(devices);
      if (devices.size() > TurnPage.MOST_DEVICES || names.size() > MOST_NAMES) {
        seat.end("the hosts of its guest name more devices than there may be, n=" + names.size());
        return;
      }
      for (int i = 0; i < devices.size(); i++) {
        if (devices.indexOf(devices.get(i)) == i) { // one that names a device twice has it once
          rotas
              .computeIfAbsent(
                  devices.get(i), name -> new DeviceRota(quotas, name.equals(PROCESSORS)))
              .add(seat, i);
        }
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  /** Devices that hosts of a guest have named. */
  @GuardedBy("lock")
  private Set<String> namesOf(String guest) {
    Set<String> names = new HashSet<>();
    rotas.forEach((name, rota) -> {
      if (rota.isOf(guest)) {
        names.add(name);
      }
    });
    return names;
  }

  /** A host tells that something has changed. */
  public void wake() {
    lock.lock();
    try {
      if (!poked) {
        poked = true;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** A host is gone: what it held is free. */
  public void leave(@Nullable TurnSeat seat) {
    if (seat == null) {
      return;
    }
    lock.lock();
    try {
      rotas.values().forEach(rota -> rota.remove(seat));
      rotas.values().removeIf(DeviceRota::isEmpty);
      named.remove(seat);
      seat.retire(); // before the lock is given up: nobody names its devices any more
    } finally {
      lock.unlock();
    }
    seat.close(); // which lasts when many wait for its eventfd
    wake();
  }

  private void run() {
    lock.lock();
    try {
      while (!closed) {
        poked = false;
        boolean contended = false;
        for (DeviceRota rota : rotas.values()) {
          contended |= step(rota);
        }
        awaitChange(contended);
        awaitPace();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether it is to be done again soon: also when it failed, for a reason that may pass. */
  private boolean step(DeviceRota rota) {
    try {
      return rota.step(nanoTime.getAsLong());
    } catch (RuntimeException | Error e) {
      failures.note(e);
      return true;
    }
  }

  @GuardedBy("lock")
  private void awaitChange(boolean contended) {
    try {
      long leftNs = DeviceRota.LOOK_NS;
      while (!poked && !closed && leftNs > 0) {
        if (contended) {
          leftNs = changed.awaitNanos(leftNs);
        } else {
          changed.await();
        }
      }
    } catch (InterruptedException _) {
      // nobody does; it looks again
    }
  }

  /** Changes that are told meanwhile are seen to together. */
  @GuardedBy("lock")
  private void awaitPace() {
    try {
      while (!closed && !pace.tryTake()) {
        long _ = changed.awaitNanos(pace.untilNextNs());
      }
    } catch (InterruptedException _) {
      // nobody does; it goes on
    }
  }

  /** Ends the thread. */
  @Override
  public void close() throws InterruptedException {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    thread.join(TimeUnit.SECONDS.toMillis(10));
  }
}
