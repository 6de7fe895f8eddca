package io.sluice.daemon;

import io.sluice.abi.SluiceException;
import io.sluice.abi.drm.DrmFile;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Gpu;
import io.sluice.channel.Guest;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.daemon.config.GpuSettings;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.interrupt.InterruptForwarder;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * A GPU with the threads it needs: one for each guest's events, and the engine of the software one.
 */
final class GpuHost implements AutoCloseable {
  private final Gpu gpu;
  private final Delivery delivery;
  private final @Nullable SoftwareEngine software;

  /** What only the software GPU has. */
  private record SoftwareEngine(SoftwareGpu gpu, EngineLoop loop, Thread thread) {
    void stop() {
      loop.stop();
      joinUninterruptibly(thread);
      gpu.close();
    }
  }

  /** What a guest's events are delivered with. */
  private record Delivery(Kernel kernel, LongSupplier clock, Duration spin, Threads threads) {
    InterruptForwarder start(Guest guest) {
      InterruptForwarder forwarder =
          new InterruptForwarder(kernel, clock, spin.toNanos(), (_, _) -> {});
      forwarder.add(guest);
      threads.start("sluice-" + guest.name() + "-irq", forwarder);
      return forwarder;
    }
  }

  private GpuHost(Gpu gpu, Delivery delivery, @Nullable SoftwareEngine software) {
    this.gpu = gpu;
    this.delivery = delivery;
    this.software = software;
  }

  /**
   * Opens a GPU and starts its threads.
   *
   * @param clock monotonic nanoseconds
   */
  static GpuHost open(GpuSettings settings, Kernel kernel, Threads threads, LongSupplier clock)
      throws OperationsException {
    try {
      return switch (settings) {
        case GpuSettings.Embedded embedded -> embedded(embedded, kernel, threads, clock);
        case GpuSettings.Device device -> {
          Gpu gpu =
              new PscnvGpu(device.name(), kernel, () -> DrmFile.open(kernel, device.device()));
          yield host(gpu, null, device.interruptSpin(), kernel, threads, clock);
        }
      };
    } catch (SluiceException e) {
      throw Problem.of(
              ErrorCode.GPU_OPEN,
              "cannot open GPU \"" + settings.name() + "\"",
              String.valueOf(e.getMessage()),
              e.remedy())
          .exception();
    }
  }

  private static GpuHost embedded(
      GpuSettings.Embedded settings, Kernel kernel, Threads threads, LongSupplier clock) {
    EngineLoop loop = new EngineLoop(clock);
    GpuConfig config =
        new GpuConfig(
            settings.vramBytes(), GpuConfig.gtx480().systemBytes(), settings.spin().toNanos());
    SoftwareGpu card = new SoftwareGpu(kernel, config, clock, loop);
    loop.setEngine(card.engine());
    Thread thread = threads.start("sluice-gpu-" + settings.name(), loop);
    SoftwareEngine software = new SoftwareEngine(card, loop, thread);
    try {
      Gpu gpu = new PscnvGpu(settings.name(), kernel, card::open);
      return host(gpu, software, settings.interruptSpin(), kernel, threads, clock);
    } catch (SluiceException e) {
      software.stop();
      throw e;
    }
  }

  private static GpuHost host(
      Gpu gpu,
      @Nullable SoftwareEngine software,
      Duration interruptSpin,
      Kernel kernel,
      Threads threads,
      LongSupplier clock) {
    return new GpuHost(gpu, new Delivery(kernel, clock, interruptSpin, threads), software);
  }

  Gpu gpu() {
    return gpu;
  }

  /**
   * Begins to deliver a guest's events, on a thread of its own: a client can block the thread that
   * signals its interrupts, and must block nobody else's.
   */
  InterruptForwarder deliver(Guest guest) {
    return delivery.start(guest);
  }

  String name() {
    return gpu.info().name();
  }

  /** After its guests are gone. */
  @Override
  public void close() {
    gpu.close();
    if (software != null) {
      software.stop();
    }
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
