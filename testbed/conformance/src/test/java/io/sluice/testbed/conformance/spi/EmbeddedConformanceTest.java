package io.sluice.testbed.conformance.spi;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Gpu;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.Deque;

/** The embedded GPU. */
final class EmbeddedConformanceTest extends GpuConformance {
  private static final long VRAM_BYTES = 256L << 20;

  /** Runs the GPU. */
  private static final class Engine implements IdleStrategy, AutoCloseable {
    private volatile boolean stopped;
    private final SoftwareGpu card;
    private final Thread thread = new Thread(this::work, "embedded-gpu");

    Engine(Kernel kernel) {
      GpuConfig config = new GpuConfig(VRAM_BYTES, VRAM_BYTES, 0);
      card = new SoftwareGpu(kernel, config, System::nanoTime, this);
      thread.start();
    }

    private void work() {
      while (!stopped) {
        if (card.engine().doWork(System.nanoTime()) == 0) {
          Thread.yield();
        }
      }
    }

    @Override
    public void idle(long ns) {}

    @Override
    public void wake() {}

    @Override
    public void close() throws InterruptedException {
      stopped = true;
      thread.join();
      card.close();
    }
  }

  @Override
  Gpu open(Deque<AutoCloseable> closing) {
    Kernel kernel = NvidiaRig.kernel();
    Engine engine = new Engine(kernel);
    closing.push(engine);
    return new PscnvGpu("embedded", kernel, engine.card::open);
  }

  @Override
  TestQueue queue(MemorySegment memory, GpuVa base) {
    return new FermiTestQueue(memory, base);
  }
}
