package io.sluice.gpu;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** A small software GPU with a clock that only moves when told, run by the test's own thread. */
final class Rig implements AutoCloseable {
  static final long VRAM_BYTES = 32L << 20;
  static final long SYSTEM_BYTES = 32L << 20;
  static final long SPIN_NS = 100_000;

  /** Longer than the longest wait between two looks at a channel. */
  static final long CYCLE_NS = 8_000_000;

  final Kernel kernel = RealKernel.create();
  final SoftwareGpu gpu;
  private final List<Client> clients = new ArrayList<>();
  volatile long nowNs = 1_000_000;
  final AtomicInteger wakes = new AtomicInteger();

  Rig() {
    this(new GpuConfig(VRAM_BYTES, SYSTEM_BYTES, SPIN_NS));
  }

  Rig(GpuConfig config) {
    gpu = new SoftwareGpu(kernel, config, () -> nowNs, new CountingIdle());
  }

  /** A GPU whose grids run on threads of their own. */
  Rig(Executor compute, int computeThreads) {
    gpu =
        new SoftwareGpu(
            kernel,
            new GpuConfig(VRAM_BYTES, SYSTEM_BYTES, SPIN_NS),
            () -> nowNs,
            new CountingIdle(),
            compute,
            computeThreads);
  }

  /** A GPU whose threads have a processor as the test says. */
  Rig(Executor compute, int computeThreads, LongSupplier processor) {
    gpu =
        new SoftwareGpu(
            kernel,
            new GpuConfig(VRAM_BYTES, SYSTEM_BYTES, SPIN_NS),
            new GpuClocks(() -> nowNs, processor),
            new CountingIdle(),
            compute,
            computeThreads);
  }

  private final class CountingIdle implements IdleStrategy {
    @Override
    public void idle(long ns) {}

    @Override
    public void wake() {
      int _ = wakes.incrementAndGet();
    }
  }

  /** Opens the card for one more guest. */
  Client open() {
    DrmDevice device = gpu.open();
    Client client = new Client(kernel, device);
    clients.add(client);
    return client;
  }

  /** Runs the engine until it finds nothing to do. */
  void run() {
    for (int i = 0; i < 100_000; i++) {
      if (cycle() == 0) {
        return;
      }
    }
    throw new AssertionError("the engine does not come to rest");
  }

  /** One duty cycle, at a time when every channel is due. */
  int cycle() {
    nowNs += CYCLE_NS;
    return gpu.engine().doWork(nowNs);
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
    gpu.close();
  }
}
