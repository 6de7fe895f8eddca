package io.sluice.testbed.bench.submission;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The software GPU in this process, used through its backend alone: no virtual device, no daemon.
 * What guests are compared with. It has as many threads for grids as the daemon's.
 */
final class DirectGpu implements AutoCloseable {
  /** What the names of the threads for grids begin with. */
  static final String THREADS = "direct-sm-";

  private final Kernel kernel;
  private final ExecutorService compute;
  private final SoftwareGpu card;
  private final Thread thread;
  private final Gpu gpu;

  /** Opened once, as a guest's device is: what it has compiled is the open's. */
  private final GuestGpu guest;

  private volatile boolean stopped;

  DirectGpu(Kernel kernel) {
    this.kernel = kernel;
    int cores = Runtime.getRuntime().availableProcessors();
    compute =
        Executors.newFixedThreadPool(
            cores, Thread.ofPlatform().daemon().name(THREADS, 0).factory());
    IdleStrategy idle = new Parking();
    card = new SoftwareGpu(kernel, GpuConfig.gtx480(), System::nanoTime, idle, compute, cores);
    thread = Thread.ofPlatform().daemon().name("direct-gpu").start(() -> work(idle));
    gpu = new PscnvGpu("direct", kernel, card::open);
    guest = gpu.open("bench");
  }

  /** A channel in an address space of its own, waited for by polling. */
  DirectChannel open() {
    return new DirectChannel(kernel, guest, false);
  }

  /** The same, waited for by its interrupt, as guests do. */
  DirectChannel openWithInterrupt() {
    return new DirectChannel(kernel, guest, true);
  }

  private void work(IdleStrategy idle) {
    while (!stopped) {
      if (card.engine().doWork(System.nanoTime()) == 0) {
        idle.idle(card.engine().idleNs());
      }
    }
  }

  /** Waits as the daemon's engine does. */
  private final class Parking implements IdleStrategy {
    @Override
    public void idle(long ns) {
      if (ns <= 0) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, ns);
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void close() throws InterruptedException {
    guest.close();
    stopped = true;
    thread.join();
    gpu.close();
    card.close();
    compute.shutdown();
  }
}
