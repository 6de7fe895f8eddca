package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that a guest would otherwise be the first to have: a channel of ours moves from one open
 * to another, and buffers out of video memory and back, for no other purpose than that the code has
 * run before a guest stands still for it. What is loaded, linked and compiled then takes tens of
 * milliseconds the first time. Of one thread.
 */
final class Warmup {
  private static final Logger log = LoggerFactory.getLogger(Warmup.class);

  /** By the class that the channel declares: what is still slow the first time is not the sixth. */
  private static final List<RmClass> RUNS =
      List.of(
          RmClass.HOPPER_DMA_COPY_A,
          RmClass.HOPPER_COMPUTE_A,
          RmClass.HOPPER_DMA_COPY_A,
          RmClass.HOPPER_COMPUTE_A,
          RmClass.HOPPER_DMA_COPY_A,
          RmClass.HOPPER_COMPUTE_A);

  private static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  private static final GpuVa VIDEO = new GpuVa(0x20_0000_0000L);
  private static final long RING_BYTES = (HopperRing.SIZE_BYTES + 0xffff) & -0x1_0000L;
  private static final long VIDEO_BYTES = 16 * GuestLimits.PAGE_BYTES;
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int SUBMISSIONS = 8;
  private static final int EVICTED = 4;
  private static final long EVICTED_BYTES = 2L << 20;

  private final NvidiaGpu gpu;
  private final Kernel kernel;
  private final Deque<RmClass> left = new ArrayDeque<>(RUNS);
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final HopperCommands commands = new HopperCommands();

  Warmup(NvidiaGpu gpu, Kernel kernel) {
    this.gpu = gpu;
    this.kernel = kernel;
  }

  /** The guest in one open. */
  private final class Side {
    final GuestGpu open;
    final AddressSpace space;
    final GpuMemory video;
    final GpuMemory window;
    final Channel channel;

    Side(GuestGpu open, Fd ram, RmClass type, OptionalInt id) {
      this.open = open;
      space = open.createAddressSpace();
      GuestGpu.RegisteredMemory region = open.addRegion(ram, 0, RING_BYTES, true);
      GpuMemory own = open.register(request(PscnvGem.SYSRAM_SNOOP, RING_BYTES));
      own.setPages(0, List.of(new RegionExtent(region, 0, RING_BYTES)));
      video = open.allocate(request(PscnvGem.VRAM_SMALL, VIDEO_BYTES));
      window = open.allocate(request(PscnvGem.SYSRAM_SNOOP, VIDEO_BYTES));
      map(space, own, RING);
      map(space, video, VIDEO);
      channel = space.createChannel(id);
      channel.declareObject(1, type.number(), 0);
    }
  }

  private static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private static void map(AddressSpace space, GpuMemory memory, GpuVa at) {
    GpuVa _ = space.map(memory, at, new GpuVa(at.value() + memory.sizeBytes()), false);
  }

  /**
   * Makes the next run; a failure is no more than a line in the log.
   *
   * @return false when there was none left
   */
  boolean runNext() {
    RmClass type = left.poll();
    if (type == null) {
      return false;
    }
    try {
      move(type);
    } catch (RuntimeException e) {
      log.atWarn().addKeyValue("class", type).setCause(e).log("a warm-up failed");
    } finally {
      close();
    }
    return true;
  }

  private void move(RmClass type) {
    Fd ram = keep(kernel.memfdCreate("sluice-warmup", RING_BYTES));
    MemorySegment memory = mapped(ram, 0, RING_BYTES);
    NvidiaGuestGpu first = keep(gpu.openUnseen());
    Side from = new Side(first, ram, type, OptionalInt.empty());
    GuestGpu.SharedArea area = from.channel.controlPage();
    MemorySegment page;
    try (Fd fd = area.fd()) {
      page = mapped(fd, area.offset(), area.sizeBytes());
    }
    HopperRing ring = new HopperRing(memory, page, gpu.doorbell().page(), RING);
    from.channel.start(RING, HopperRing.ORDER, 1);
    submit(ring);
    from.open.fingerprint(from.video, 0, 1, new long[512], from.window, 0);
    from.open.copy(from.video, 0, from.window, 0, VIDEO_BYTES);

    NvidiaGuestGpu second = keep(gpu.adoptUnseen(first));
    Side to = new Side(second, ram, type, OptionalInt.of(from.channel.id()));
    first.setSweeping(false);
    from.channel.detach();
    await(() -> polled(first, from).progress().drained());
    byte[] state = from.channel.saveState();
    from.open.copy(from.video, 0, from.window, 0, VIDEO_BYTES);
    to.open.copy(to.window, 0, to.video, 0, VIDEO_BYTES);
    to.channel.restoreState(state);
    second.setSweeping(true);
    to.channel.resume();
    submit(ring);
    // And taken back.
    to.channel.detach();
    to.channel.attach();
    await(() -> polled(second, to).state() == ChannelState.RUNNING);
    submit(ring);
    evict(to);
    submit(ring);
  }

  /** Buffers leave video memory, and come back. */
  private void evict(Side side) {
    List<GpuMemory> buffers = new ArrayList<>();
    for (int i = 0; i < EVICTED; i++) {
      GpuMemory buffer = side.open.allocate(request(PscnvGem.VRAM_SMALL, EVICTED_BYTES));
      map(side.space, buffer, new GpuVa(VIDEO.value() + (i + 1) * EVICTED_BYTES));
      buffers.add(buffer);
    }
    side.channel.suspend();
    int _ = side.open.setPools(buffers, true);
    int _ = side.open.setPools(buffers, false);
    side.channel.resume();
    gpu.pool().rest();
  }

  private Channel.Status polled(NvidiaGuestGpu open, Side side) {
    open.poll(gpu.timeNs());
    open.requireDrainGoesOn();
    return side.channel.status();
  }

  private void submit(HopperRing ring) {
    for (int i = 0; i < SUBMISSIONS; i++) {
      commands.clear();
      long done = ring.submitWithRelease(commands);
      await(() -> ring.hasReleased(done));
    }
  }

  private void await(BooleanSupplier condition) {
    long since = gpu.timeNs();
    while (!condition.getAsBoolean()) {
      if (gpu.timeNs() - since > LIMIT_NS) {
        throw RmRefusal.monitorStuck();
      }
      Thread.onSpinWait();
    }
  }

  private MemorySegment mapped(Fd fd, long offset, long bytes) {
    Mapping mapping = kernel.mmap(fd, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    return keep(mapping).segment();
  }

  private <T extends AutoCloseable> T keep(T made) {
    closing.push(made);
    return made;
  }

  private void close() {
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        log.atWarn().setCause(e).log("not closed after a warm-up");
      }
    }
  }
}
