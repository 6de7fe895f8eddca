package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.gpu.GpuEngine;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relief of the engine's thread: a thread that waits here takes its place when a guest's memory
 * holds it up, and meanwhile has threads added that run grids when theirs are held up. It looks
 * five times each millisecond while the engine works for a guest that has held it up lately, each
 * millisecond while guests share the GPU and work, each fourth while there is little more than a
 * look at an acquire, and sleeps when there is nothing.
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

  /** The thread that waits, if there is one. */
  private sealed interface Watch {
    /** No thread. */
    record Vacant() implements Watch {}

    /** A thread. */
    sealed interface Kept extends Watch {
      /** Which. */
      Thread thread();
    }

    /** A thread that looks now and then. */
    record Awake(Thread thread) implements Kept {}

    /** A thread that sleeps until the engine works. */
    record Asleep(Thread thread) implements Kept {}

    /** No thread any more. */
    record Stopped() implements Watch {}
  }

  private final GpuEngine engine;
  private final LongSupplier clock;
  private final IntConsumer heldUpWorkers;
  private final LoopFailures failures = new LoopFailures(LOG, "adding threads for grids");
  private final AtomicReference<Watch> watch = new AtomicReference<>(new Watch.Vacant());
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
    Thread caller = Thread.currentThread();
    Watch.Awake awake = new Watch.Awake(caller);
    if (!(watch.get() instanceof Watch.Vacant vacant) || !watch.compareAndSet(vacant, awake)) {
      return false;
    }
    try {
      return watch(awake, new Watch.Asleep(caller));
    } finally {
      watch.compareAndSet(awake, vacant);
    }
  }

  private boolean watch(Watch.Awake awake, Watch.Asleep asleep) {
    long seen = works;
    int quiet = 0;
    while (watch.get() == awake) {
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
        sleep(awake, asleep, seen);
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

  /** A host that has no more threads does not end the thread that looks. */
  private void addWorkers(long nowNs) {
    try {
      heldUpWorkers.accept(engine.heldUpWorkers(nowNs));
    } catch (RuntimeException | Error e) {
      failures.note(e);
    }
  }

  /** Sleeps unless the engine has worked since. */
  private void sleep(Watch.Awake awake, Watch.Asleep asleep, long seen) {
    if (watch.compareAndSet(awake, asleep)) {
      if (works == seen) {
        LockSupport.park(this); // returning early does no harm
      }
      watch.compareAndSet(asleep, awake);
    }
  }

  /** Whether a thread sleeps here until the engine works. */
  boolean isAsleep() {
    return watch.get() instanceof Watch.Asleep;
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
    if (watch.get() instanceof Watch.Asleep(Thread thread)) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the wait, for good. */
  void stop() {
    if (watch.getAndSet(new Watch.Stopped()) instanceof Watch.Kept kept) {
      LockSupport.unpark(kept.thread());
    }
  }
}
