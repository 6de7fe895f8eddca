package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.GpuEngine;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The engine's thread, with an engine that fails. */
final class EngineLoopTest {
  private static final int FAILURES = 3;

  @Test
  void run_errorsOfTheEngine_goesOn() throws Exception {
    AtomicInteger cycles = new AtomicInteger();
    CountDownLatch served = new CountDownLatch(1);
    EngineLoop loop = new EngineLoop(System::nanoTime);
    loop.setEngine(
        new GpuEngine() {
          @Override
          public int doWork(long nowNs) {
            if (cycles.incrementAndGet() <= FAILURES) {
              throw new InternalError("injected");
            }
            served.countDown();
            return 0;
          }

          @Override
          public long idleNs() {
            return 1_000_000_000;
          }

          @Override
          public boolean relieve(long nowNs) {
            return false;
          }

          @Override
          public int heldUpWorkers(long nowNs) {
            return 0;
          }

          @Override
          public boolean isComputing() {
            return false;
          }
        });
    Thread thread = Thread.ofPlatform().daemon().start(loop);
    served.await();
    loop.stop();
    thread.join();
    assertThat(loop.failures()).isEqualTo(FAILURES);
    assertThat(cycles.get()).isGreaterThan(FAILURES);
  }
}
