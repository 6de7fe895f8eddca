package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.daemon.runtime.Threads;
import io.sluice.gpu.GpuEngine;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The engine's threads, with an engine that is held up when the test says so. */
final class EngineThreadsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** An engine that one thread at a time runs: the one that relieved last. */
  private static final class Engine implements GpuEngine {
    final AtomicInteger cycles = new AtomicInteger();
    final AtomicInteger holds = new AtomicInteger();
    final Queue<CountDownLatch> held = new ConcurrentLinkedQueue<>();
    final AtomicBoolean inside = new AtomicBoolean();
    volatile @Nullable Thread runner;

    @Override
    public int doWork(long nowNs) {
      Thread caller = Thread.currentThread();
      if (runner == null) {
        runner = caller;
      }
      if (holds.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        held.add(mayGoOn);
        inside.set(true);
        try {
          mayGoOn.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      cycles.incrementAndGet();
      return runner == caller ? 0 : SUPERSEDED;
    }

    @Override
    public long idleNs() {
      return 100_000;
    }

    @Override
    public boolean relieve(long nowNs) {
      if (!inside.compareAndSet(true, false)) {
        return false;
      }
      runner = Thread.currentThread();
      return true;
    }

    @Override
    public int heldUpWorkers(long nowNs) {
      return held.size();
    }

    @Override
    public boolean isComputing() {
      return false;
    }
  }

  private final Engine engine = new Engine();
  private final Threads threads = new Threads();
  private final EngineLoop loop = new EngineLoop(System::nanoTime);
  private final AtomicInteger heldUpWorkers = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private final EngineRelief relief = new EngineRelief(engine, System::nanoTime, this::setHeldUp);
  private final EngineThreads all = new EngineThreads("engine", loop, relief, threads);

  private void setHeldUp(int workers) {
    if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new OutOfMemoryError("no thread for this test");
    }
    heldUpWorkers.set(workers);
  }

  private void start() {
    loop.setEngine(engine);
    loop.setRelief(relief);
    all.start();
  }

  @AfterEach
  void stop() {
    engine.held.forEach(CountDownLatch::countDown);
    all.stop();
  }

  /** The engine works, for one of several guests. */
  private void awaitCycles() {
    int before = engine.cycles.get();
    loop.working(false);
    await().atMost(PATIENCE).until(() -> engine.cycles.get() > before + 1);
  }

  private void holdUp() {
    int before = engine.held.size();
    engine.holds.incrementAndGet();
    await().atMost(PATIENCE).until(() -> engine.held.size() > before);
  }

  @Test
  void heldUp_againAndAgain_anotherThreadGoesOn() {
    start();
    for (int i = 0; i < 5; i++) {
      holdUp();
      awaitCycles();
    }
    await().atMost(PATIENCE).until(() -> heldUpWorkers.get() == 5);
  }

  @Test
  void heldUp_whoComesBack_standsByAgainOrEndsAndTheOthersStay() {
    start();
    awaitCycles();
    Thread first = Objects.requireNonNull(engine.runner);
    holdUp();
    awaitCycles();
    engine.held.forEach(CountDownLatch::countDown);
    await().atMost(PATIENCE).until(() -> !first.getName().equals("engine"));
    awaitCycles();
    holdUp();
    awaitCycles();
  }

  @Test
  void heldUp_afterAHostHadNoThreadForGrids_isRelieved() {
    refusals.set(3);
    start();
    await().atMost(PATIENCE).until(() -> refusals.get() == 0);
    holdUp();
    awaitCycles();
  }

  /** It sleeps when there is no work for long, and is there when there is some. */
  @Test
  void heldUp_afterLongQuiet_isRelieved() {
    start();
    await().atMost(PATIENCE).until(() -> relief.isAsleep());
    holdUp();
    loop.working(false);
    awaitCycles();
  }

  @Test
  void stop_whileOneIsHeldUp_waitsForIt() throws Exception {
    start();
    holdUp();
    awaitCycles();
    Thread stopping = Thread.ofPlatform().start(all::stop);
    await().atMost(PATIENCE).until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
    engine.held.forEach(CountDownLatch::countDown);
    stopping.join();
    assertThat(threads.join(PATIENCE)).isEmpty();
  }
}
