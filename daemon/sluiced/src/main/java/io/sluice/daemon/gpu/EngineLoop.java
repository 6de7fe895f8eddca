package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.gpu.GpuEngine;
import io.sluice.gpu.IdleStrategy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that runs the software GPU's duty cycle on the thread that calls {@link #run}, and waits
 * as long as the GPU says when there was nothing to do: with a spin hint while channels were active
 * lately, parked after that. A thread in whose place another one works returns ({@link
 * EngineRelief}).
 */
final class EngineLoop implements Runnable, IdleStrategy {
  private static final Logger LOG = LoggerFactory.getLogger(EngineLoop.class);

  /** There may be more to do at once. */
  private static final long NO_WAIT = -1;

  /** Another thread does it. */
  private static final long OVER = -2;

  /** What fails may fail again at once. */
  private static final long FAILED_NS = 1_000_000;

  private final LongSupplier clock;
  private final LoopFailures failures = new LoopFailures(LOG, "the engine");
  private volatile @Nullable GpuEngine engine;
  private volatile @Nullable Thread thread;
  private volatile @Nullable EngineRelief relief;
  private volatile boolean stopped;
  private final AtomicLong turns = new AtomicLong();

  /**
   * @param clock nanoseconds, the GPU's own
   */
  EngineLoop(LongSupplier clock) {
    this.clock = clock;
  }

  /** What to run; set before the thread starts. */
  void setEngine(GpuEngine newEngine) {
    engine = newEngine;
  }

  /** Told when the engine works for one of several guests; set before the thread starts. */
  void setRelief(EngineRelief told) {
    relief = told;
  }

  @Override
  public void run() {
    GpuEngine running = engine;
    if (running == null) {
      throw new IllegalStateException("no engine to run");
    }
    thread = Thread.currentThread();
    long idleNs = NO_WAIT;
    while (!stopped && idleNs != OVER) {
      turns.incrementAndGet();
      idleNs = cycle(running);
      idle(idleNs);
    }
  }

  /** One duty cycle; how long to wait afterwards, {@link #NO_WAIT} or {@link #OVER}. */
  private long cycle(GpuEngine running) {
    try {
      return switch (running.doWork(clock.getAsLong())) {
        case 0 -> running.idleNs();
        case GpuEngine.SUPERSEDED -> OVER;
        default -> NO_WAIT;
      };
    } catch (RuntimeException | Error e) {
      // The engine ends the channel that it was at, and goes on; this is what it could not catch.
      failures.note(e);
      return FAILED_NS;
    }
  }

  @Override
  public void idle(long ns) {
    if (ns == 0) {
      Thread.onSpinWait();
    } else if (ns > 0) {
      LockSupport.parkNanos(this, ns); // a wake that came before it makes it return at once
    }
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }

  @Override
  public void working(boolean apart) {
    EngineRelief told = relief;
    if (told != null) {
      told.working(apart);
    }
  }

  /** Duty cycles begun so far; an engine that works or idles has more of them every few ms. */
  long turns() {
    return turns.get();
  }

  /** Duty cycles that failed. */
  long failures() {
    return failures.count();
  }

  /** Ends the thread after its current duty cycle; does not wait for it. */
  void stop() {
    stopped = true;
    wake();
  }
}
