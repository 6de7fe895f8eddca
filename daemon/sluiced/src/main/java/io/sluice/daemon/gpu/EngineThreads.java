package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.daemon.runtime.Threads;
import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of the software GPU's engine: one runs it, and one is there to take its place. When
 * it does, another one is there for the next time; whoever was held up ends some time after it has
 * come back, or is there itself. So there are two, and one for each guest that holds one up.
 */
final class EngineThreads {
  private static final Logger LOG = LoggerFactory.getLogger(EngineThreads.class);

  /** A guest that has held one thread up does so again soon. */
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final String name;
  private final EngineLoop loop;
  private final EngineRelief relief;
  private final LoopFailures failures = new LoopFailures(LOG, "starting a thread of the engine");
  private final ThreadPoolExecutor pool;

  /**
   * @param name of the thread that runs the engine
   */
  EngineThreads(String name, EngineLoop loop, EngineRelief relief, Threads threads) {
    this.name = name;
    this.loop = loop;
    this.relief = relief;
    pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads,
            new ThreadPoolExecutor.DiscardPolicy()); // once it stops, nobody need stand by
  }

  /** Starts the first two. */
  void start() {
    pool.execute(this::runFirst);
    pool.execute(this::standBy);
  }

  private void runFirst() {
    runEngine();
    standBy();
  }

  private void runEngine() {
    Thread.currentThread().setName(name);
    loop.run();
  }

  private void standBy() {
    Thread.currentThread().setName(name + "-relief");
    while (relief.await()) {
      try {
        pool.execute(this::standBy);
      } catch (RuntimeException | Error e) {
        failures.note(e); // the host has no thread for it: whoever comes back stands by
      }
      runEngine();
      Thread.currentThread().setName(name + "-relief");
    }
  }

  /** Ends them all, and waits for that. */
  void stop() {
    loop.stop();
    relief.stop();
    pool.close();
  }
}
