package io.sluice.daemon.gpu;

import io.sluice.gpu.GpuEngine;
import io.sluice.gpu.IdleStrategy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the software GPU's duty cycle on the thread that calls {@link #run}, and waits as long as
 * the GPU says when there was nothing to do: with a spin hint while channels were active lately,
 * parked after that.
 */
final class EngineLoop implements Runnable, IdleStrategy {
  private final LongSupplier clock;
  private volatile @Nullable GpuEngine engine;
  private volatile @Nullable Thread thread;
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

  @Override
  public void run() {
    GpuEngine running = engine;
    if (running == null) {
      throw new IllegalStateException("no engine to run");
    }
    thread = Thread.currentThread();
    while (!stopped) {
      turns.lazySet(turns.getPlain() + 1);
      if (running.doWork(clock.getAsLong()) == 0) {
        idle(running.idleNs());
      }
    }
  }

  @Override
  public void idle(long ns) {
    if (ns <= 0) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(this, ns); // a wake that came before it makes it return at once
    }
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }

  /** Duty cycles begun so far; an engine that works or idles has more of them every few ms. */
  long turns() {
    return turns.get();
  }

  /** Ends the thread after its current duty cycle; does not wait for it. */
  void stop() {
    stopped = true;
    wake();
  }
}
