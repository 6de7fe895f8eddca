package io.sluice.daemon.gpu;

import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.daemon.runtime.Threads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of the software GPU's engine: one runs it, and one is there to take its place. When
 * it does, another one is there for the next time; whoever was held up ends when it comes back, or
 * is there itself. So there are two, and one for each guest that holds one up.
 */
final class EngineThreads {
  private static final Logger LOG = LoggerFactory.getLogger(EngineThreads.class);

  private final String name;
  private final EngineLoop loop;
  private final EngineRelief relief;
  private final Threads threads;
  private final LoopFailures failures = new LoopFailures(LOG, "starting a thread of the engine");
  private final Set<Thread> live = ConcurrentHashMap.newKeySet();

  /**
   * @param name of the thread that runs the engine
   */
  EngineThreads(String name, EngineLoop loop, EngineRelief relief, Threads threads) {
    this.name = name;
    this.loop = loop;
    this.relief = relief;
    this.threads = threads;
  }

  /** Starts the first two. */
  void start() {
    add(this::runFirst);
    add(this::standBy);
  }

  private void add(Runnable action) {
    Thread thread = threads.newThread(() -> serve(action));
    live.add(thread);
    try {
      thread.start();
    } catch (RuntimeException | Error e) {
      live.remove(thread);
      throw e;
    }
  }

  private void serve(Runnable action) {
    try {
      action.run();
    } finally {
      live.remove(Thread.currentThread());
    }
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
        add(this::standBy);
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
    while (!live.isEmpty()) {
      live.forEach(Threads::joinUninterruptibly); // one of them may have started another meanwhile
    }
  }
}
