package io.sluice.daemon.gpu;

import io.sluice.abi.SluiceException;
import io.sluice.abi.drm.DrmFile;
import io.sluice.abi.sandbox.RealSandboxKernel;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.CardSlots;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.relay.DriverRelay;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.daemon.config.GpuSettings;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.daemon.runtime.Threads;
import io.sluice.gpu.GpuClocks;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.interrupt.InterruptForwarder;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * A GPU with the threads it needs: one for each guest's events, one for what the guests share, and
 * the engine of the software one.
 */
public final class GpuHost implements AutoCloseable {
  /** Of threads that compute grids. */
  private static final int COMPUTE_NICE = 10;

  private final Gpu gpu;
  private final CardSlots slots;
  private final Delivery delivery;
  private final GpuShares shares;
  private final @Nullable SoftwareEngine software;
  private final @Nullable CardPreparation readiness;

  /** The readiness that only a card has. */
  private record CardPreparation(Preparing preparing, Thread thread) {
    static CardPreparation start(Gpu gpu, long stagingBytes, Threads threads) {
      Preparing preparing = new Preparing(gpu, stagingBytes);
      String name = "sluice-" + gpu.info().name() + "-prepare";
      return new CardPreparation(preparing, threads.start(name, preparing));
    }

    void stop() {
      preparing.stop();
      Threads.joinUninterruptibly(thread);
    }
  }

  /** The engine that only the software GPU has. */
  private record SoftwareEngine(
      SoftwareGpu gpu,
      EngineLoop loop,
      EngineThreads threads,
      ComputeThreads compute,
      int excessLimit) {
    void stop() {
      threads.stop();
      gpu.close();
      compute.close();
    }
  }

  /** The means by which a guest's events are delivered. */
  private record Delivery(Kernel kernel, LongSupplier clock, Duration spin, Threads threads) {
    InterruptForwarder start(Guest guest) {
      InterruptForwarder forwarder =
          new InterruptForwarder(kernel, clock, spin.toNanos(), (_, _) -> {});
      forwarder.add(guest);
      threads.start("sluice-" + guest.name() + "-irq", forwarder);
      return forwarder;
    }
  }

  private GpuHost(
      Gpu gpu,
      Delivery delivery,
      GpuShares shares,
      @Nullable SoftwareEngine software,
      @Nullable CardPreparation readiness) {
    this.gpu = gpu;
    this.slots = new CardSlots(gpu.slots());
    this.delivery = delivery;
    this.shares = shares;
    this.software = software;
    this.readiness = readiness;
  }

  /**
   * Opens a GPU and starts its threads.
   *
   * @param clock monotonic nanoseconds
   * @param notifications told of what happens to its guests' shares
   */
  public static GpuHost open(
      GpuSettings settings,
      Kernel kernel,
      Threads threads,
      LongSupplier clock,
      Consumer<DaemonEvent> notifications)
      throws OperationsException {
    try {
      return switch (settings) {
        case GpuSettings.Embedded embedded ->
            embedded(embedded, kernel, threads, clock, notifications);
        case GpuSettings.Device device -> {
          Gpu card = card(device, kernel);
          yield host(
              card,
              null,
              CardPreparation.start(card, device.stagingBytes(), threads),
              device.interruptSpin(),
              kernel,
              threads,
              clock,
              notifications);
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

  /** The driver is known by the node. */
  private static Gpu card(GpuSettings.Device settings, Kernel kernel) {
    String node = settings.device().toString();
    return NvidiaGpu.isNode(settings.device())
        ? new NvidiaGpu(settings.name(), node, kernel, new SecureRandom())
        : new PscnvGpu(settings.name(), kernel, () -> DrmFile.open(kernel, settings.device()));
  }

  private static GpuHost embedded(
      GpuSettings.Embedded settings,
      Kernel kernel,
      Threads threads,
      LongSupplier clock,
      Consumer<DaemonEvent> notifications) {
    EngineLoop loop = new EngineLoop(clock);
    GpuConfig config =
        new GpuConfig(
            settings.vramBytes(),
            GpuConfig.gtx480().systemBytes(),
            settings.spin().toNanos(),
            settings.gridHeapBytes());
    ComputeThreads compute = compute(settings.name(), threads, kernel);
    GpuClocks clocks = new GpuClocks(clock, kernel::processorTimeNs, kernel::threadUse);
    SoftwareGpu card = new SoftwareGpu(kernel, config, clocks, loop, compute, compute.count());
    EngineRelief relief = new EngineRelief(card.engine(), clock, compute::heldUp);
    loop.setEngine(card.engine());
    loop.setRelief(relief);
    String name = "sluice-gpu-" + settings.name();
    EngineThreads engine = new EngineThreads(name, loop, relief, threads);
    SoftwareEngine software =
        new SoftwareEngine(card, loop, engine, compute, settings.excessLimit());
    engine.start();
    try {
      Gpu gpu = new PscnvGpu(settings.name(), kernel, card::open, card::openFor);
      return host(
          gpu, software, null, settings.interruptSpin(), kernel, threads, clock, notifications);
    } catch (SluiceException e) {
      software.stop();
      throw e;
    }
  }

  /**
   * Threads for compute grids. Virtual processors of machines, and whoever hands on what has come,
   * go first.
   */
  private static ComputeThreads compute(String gpu, Threads threads, Kernel kernel) {
    ThreadFactory named =
        action -> {
          Thread thread =
              threads.newThread(() -> {
                kernel.giveWay(COMPUTE_NICE);
                action.run();
              });
          // Linux shows 15 characters.
          thread.setName("sm-" + gpu);
          return thread;
        };
    return new ComputeThreads(Runtime.getRuntime().availableProcessors(), named);
  }

  private static GpuHost host(
      Gpu gpu,
      @Nullable SoftwareEngine software,
      @Nullable CardPreparation readiness,
      Duration interruptSpin,
      Kernel kernel,
      Threads threads,
      LongSupplier clock,
      Consumer<DaemonEvent> notifications) {
    Delivery delivery = new Delivery(kernel, clock, interruptSpin, threads);
    GpuShares shares = new GpuShares(gpu, threads, clock, notifications);
    return new GpuHost(gpu, delivery, shares, software, readiness);
  }

  public Gpu gpu() {
    return gpu;
  }

  /** What its guests share. */
  public GpuShares shares() {
    return shares;
  }

  /** A guest found this many times touching memory that it never allocated is detached. */
  public int excessLimit() {
    return software == null ? Integer.MAX_VALUE : software.excessLimit();
  }

  /** Who may take how many of its channels and address spaces. */
  public CardSlots slots() {
    return slots;
  }

  /**
   * Begins to deliver a guest's events, on a thread of its own: a client can block the thread that
   * signals its interrupts, and must block nobody else's.
   */
  public InterruptForwarder deliver(Guest guest) {
    return delivery.start(guest);
  }

  /**
   * Begins to relay a guest's CUDA programs; whoever asks closes it. None where there is no driver
   * of NVIDIA's for them to call.
   */
  public Optional<ProgramRelay> relay(String guest, RelayLimits limits) {
    if (!(gpu instanceof NvidiaGpu card)) {
      return Optional.empty();
    }
    ProgramRelay relay =
        card.relay(
            guest,
            limits,
            delivery.clock(),
            new RealSandboxKernel(delivery.kernel())::dropCapabilities);
    shares.serve(guest, relay);
    return Optional.of(relay);
  }

  /**
   * Begins to relay here what CUDA programs of a guest come from another GPU, which is of the same
   * kind and the guest's own; whoever asks closes it.
   *
   * @param other the relay there
   */
  public Optional<ProgramRelay> relayBeside(String guest, ProgramRelay other) {
    if (!(gpu instanceof NvidiaGpu card && other instanceof DriverRelay from)) {
      return Optional.empty();
    }
    ProgramRelay relay = card.relayBeside(from, shares.programMemory(guest));
    shares.serve(guest, relay);
    return Optional.of(relay);
  }

  /** Whether a program that runs on another GPU can go on upon this. */
  public boolean isLike(GpuHost other) {
    GpuInfo one = gpu.info();
    GpuInfo two = other.gpu.info();
    return one.model().equals(two.model())
        && one.pciVendor() == two.pciVendor()
        && one.pciDevice() == two.pciDevice();
  }

  public String name() {
    return gpu.info().name();
  }

  /**
   * Duty cycles of the software GPU so far. Empty for a GPU of hardware, which works without us.
   */
  public OptionalLong turns() {
    return software == null ? OptionalLong.empty() : OptionalLong.of(software.loop().turns());
  }

  /** After its guests are gone. */
  @Override
  public void close() {
    shares.close();
    if (readiness != null) {
      readiness.stop();
    }
    gpu.close();
    if (software != null) {
      software.stop();
    }
  }
}
