package io.sluice.daemon.turns;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Kernel;
import io.sluice.quota.Quota;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keeper of turns: a thread that sees to the rota of each device when a host tells of a change,
 * and every few milliseconds while somebody waits.
 */
public final class TurnKeeper implements AutoCloseable {
  /** What hosts call the processors. */
  private static final String PROCESSORS = "processors";

  private final Kernel kernel;
  private final LongSupplier nanoTime;
  private final Function<String, Quota> quotas;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Map<String, DeviceRota> rotas = new HashMap<>();

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
    this.quotas = quotas;
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
    return new TurnSeat(
        kernel,
        guest,
        () -> process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L),
        end);
  }

  /**
   * The host has named its devices.
   *
   * @param devices by their numbers
   */
  public void name(TurnSeat seat, List<String> devices) {
    lock.lock();
    try {
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
    poke();
  }

  /** A host tells that something has changed. */
  public void poke() {
    lock.lock();
    try {
      poked = true;
      changed.signal();
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
      seat.close();
    } finally {
      lock.unlock();
    }
    poke();
  }

  private void run() {
    lock.lock();
    try {
      while (!closed) {
        poked = false;
        boolean contended = false;
        for (DeviceRota rota : rotas.values()) {
          contended |= rota.step(nanoTime.getAsLong());
        }
        awaitChange(contended);
      }
    } finally {
      lock.unlock();
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
