package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.gpu.GpuEngine;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one that takes the engine's place when a guest's memory holds its thread up, and has threads
 * added that run grids when theirs are. It looks five times each millisecond while the engine works
 * for a guest that has held it up lately, each millisecond while guests share the GPU and work, each
 * fourth while there is little more than a look at an acquire, and sleeps when there is
 * nothing.
 */
final class EngineRelief {
  private static final Logger LOG = LoggerFactory.getLogger(EngineRelief.class);
  private static final long LOOK_NS = 1_000_000;
  private static final long RARE_LOOK_NS = 4_000_000;

  /** While it works for a guest that has held it up lately. */
  private static final long APART_LOOK_NS = 200_000;

  /** As often as the engine goes into a guest's memory between two looks while it works little. */
  private static final long LITTLE = 8;

  /** After so many looks that found no work it sleeps. */
  private static final int QUIET_LOOKS = 50;

  private final GpuEngine engine;
  private final LongSupplier clock;
  private final IntConsumer heldUpWorkers;
  private final LoopFailures failures = new LoopFailures(LOG, "adding threads for grids");
  private final AtomicBoolean taken = new AtomicBoolean();
  private volatile @Nullable Thread thread;
  private volatile boolean asleep;
  private volatile boolean stopped;
  private volatile long works;

  /** Whether one of them was for a guest that has held the engine up lately. */
  private volatile boolean apart;

  /**
   * @param clock nanoseconds, the GPU's own
   * @param heldUpWorkers told how many threads that run grids are held up
   */
  EngineRelief(GpuEngine engine, LongSupplier clock, IntConsumer heldUpWorkers) {
    this.engine = engine;
    this.clock = clock;
    this.heldUpWorkers = heldUpWorkers;
  }

  /**
   * Waits on the calling thread until it has to take the engine's place.
   *
   * @return whether it has to; false when another thread waits for that, or it was stopped
   */
  boolean await() {
    if (!taken.compareAndSet(false, true)) {
      return false;
    }
    try {
      thread = Thread.currentThread();
      return watch();
    } finally {
      taken.set(false);
    }
  }

  private boolean watch() {
    long seen = works;
    int quiet = 0;
    while (!stopped) {
      long now = clock.getAsLong();
      if (engine.relieve(now)) {
        return true;
      }
      addWorkers(now);
      boolean computes = engine.isComputing();
      long worked = works - seen;
      seen += worked;
      quiet = worked == 0 && !computes ? quiet + 1 : 0;
      if (quiet < QUIET_LOOKS) {
        LockSupport.parkNanos(this, pauseNs(worked > LITTLE || computes));
      } else {
        sleep(seen);
        quiet = 0;
      }
    }
    return false;
  }

  private long pauseNs(boolean busy) {
    if (apart) {
      apart = false; // until it is said again
      return APART_LOOK_NS;
    }
    return busy ? LOOK_NS : RARE_LOOK_NS;
  }

  /** A host that has no more threads does not end the one that looks. */
  private void addWorkers(long nowNs) {
    try {
      heldUpWorkers.accept(engine.heldUpWorkers(nowNs));
    } catch (RuntimeException | Error e) {
      failures.note(e);
    }
  }

  /** Sleeps unless the engine has worked since. */
  private void sleep(long seen) {
    asleep = true;
    if (works == seen && !stopped) {
      LockSupport.park(this); // returning early does no harm
    }
    asleep = false;
  }

  /** Whether it sleeps until the engine works. */
  boolean isAsleep() {
    return asleep;
  }

  /**
   * The engine works for one of several guests, or there are several now; any thread may say so.
   *
   * @param isApart for a guest that has held it up lately: its place is to be taken soon
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // it is another number, whoever writes it
  void working(boolean isApart) {
    if (isApart) {
      apart = true;
    }
    works = works + 1;
    if (asleep) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the wait, for good. */
  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }
}
