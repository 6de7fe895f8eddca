package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Iova;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.CardSlots;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.GuestRoom;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.SlotLimits;
import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.state.ChannelError;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.quota.Admission;
import io.sluice.quota.Quota;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The pscnv backend over a small software GPU with a clock that moves only when told, run by the
 * test's own thread.
 */
public final class GpuRig implements AutoCloseable {
  public static final long VRAM_BYTES = 32L << 20;

  final Kernel kernel = RealKernel.create();
  final SoftwareGpu model;
  final Gpu gpu;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private long nowNs = 1_000_000;

  public GpuRig() {
    this(device -> device);
  }

  /**
   * @param between stands between the backend and the GPU
   */
  public GpuRig(UnaryOperator<DrmDevice> between) {
    model =
        new SoftwareGpu(
            kernel,
            new GpuConfig(VRAM_BYTES, VRAM_BYTES, 100_000),
            () -> nowNs,
            IdleStrategy.none());
    gpu = new PscnvGpu("test", kernel, () -> between.apply(model.open()));
  }

  public Guest attach(String name, GuestListener listener) {
    Guest guest = new Guest(name, gpu, kernel, listener);
    opened.add(guest);
    return guest;
  }

  public Guest attach(String name, CardSlots slots) {
    return attach(name, new GuestRoom(slots));
  }

  /** A guest whose tables have so much heap. */
  public Guest attach(String name, MemoryBudget tables) {
    return attach(name, new GuestRoom(new CardSlots(SlotLimits.NONE), tables));
  }

  private Guest attach(String name, GuestRoom room) {
    Guest guest = new Guest(name, gpu, room, kernel, new HeardEvents());
    opened.add(guest);
    return guest;
  }

  public Guest attach(String name) {
    return attach(name, new HeardEvents());
  }

  /** Gives a guest a quota that fits. */
  public static void admit(MemoryQuotas quotas, String guest, Quota wanted) {
    assertThat(quotas.set(guest, wanted)).isEqualTo(new Admission.Admitted());
  }

  /** Guest memory of its own file, known to the GPU. */
  Ram ram(Guest guest, long iova, long bytes) {
    Fd fd = kernel.memfdCreate("ram", bytes);
    Mapping mapping = kernel.mmap(fd, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    opened.addFirst(fd);
    opened.addFirst(mapping);
    return new Ram(
        mapping.segment(),
        guest.buffers().addRegion(new Iova(iova), fd, 0, bytes, true),
        new Iova(iova));
  }

  /** Guest memory. */
  record Ram(MemorySegment bytes, RegisteredMemory region, Iova iova) {}

  MemorySegment map(GuestGpu.SharedArea area) {
    Mapping mapping =
        kernel.mmap(
            area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
    opened.addFirst(mapping);
    return mapping.segment();
  }

  /** Runs the engine until it finds nothing to do. */
  public void run() {
    for (int i = 0; i < 100_000; i++) {
      nowNs += 8_000_000;
      if (model.engine().doWork(nowNs) == 0) {
        return;
      }
    }
    throw new AssertionError("the engine does not come to rest");
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    gpu.close();
    model.close();
  }

  /** What a guest was told, as text. */
  public static final class HeardEvents implements GuestListener {
    final List<String> heard = new ArrayList<>();
    public final List<ChannelError> errors = new ArrayList<>();

    @Override
    public void onInterrupt(int channelId) {
      heard.add("interrupt " + channelId);
    }

    @Override
    public void onExcessMemory(long bytes) {
      heard.add("excess " + bytes);
    }

    @Override
    public void onChannelError(ChannelError error) {
      heard.add("error " + error.channelId() + " " + error.reason());
      errors.add(error);
    }
  }
}
