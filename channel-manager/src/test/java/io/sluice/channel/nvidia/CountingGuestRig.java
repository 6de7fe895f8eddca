package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.nvidia.submit.UserdWords;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A guest with a channel whose work counts what has run, on an RM and a GPU that are not real.
 * Tests extend it.
 */
abstract class CountingGuestRig {
  static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  static final GpuVa VIDEO = new GpuVa(0x20_0000_0000L);
  static final long RAM_BYTES = (HopperRing.SIZE_BYTES + 0x1_ffff) & -0x1_0000L;
  static final int COPY = 0xc8b5;
  private static final long TIMEOUT_NS = 20_000_000_000L;

  final Kernel real = RealKernel.create();
  final FakeRm rm = new FakeRm(real);
  private final FakeHopper hopper = rm.execute();
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private Kernel kernel = real;
  NvidiaGpu gpu;
  private Fd ram;
  MemorySegment memory;
  Side side;
  HopperRing ring;
  final HopperCommands commands = new HopperCommands();
  int submitted;

  /** One open of the GPU that holds the guest. */
  final class Side implements AutoCloseable {
    final GuestGpu open;
    final AddressSpace space;
    final GpuMemory video;
    final GpuMemory own;
    final GuestGpu.RegisteredMemory region;
    final Channel channel;
    final MemorySegment page;

    Side() {
      this(gpu.open("guest"));
    }

    Side(GuestGpu opened) {
      open = opened;
      space = open.createAddressSpace();
      region = open.addRegion(ram, 0, RAM_BYTES, true);
      own = open.register(request(PscnvGem.SYSRAM_SNOOP, RAM_BYTES));
      own.setPages(0, List.of(new RegionExtent(region, 0, RAM_BYTES)));
      video = open.allocate(request(PscnvGem.VRAM_SMALL, 4096));
      map(own, RING);
      map(video, VIDEO);
      channel = space.createChannel(OptionalInt.empty());
      channel.declareObject(1, COPY, 0);
      GuestGpu.SharedArea area = channel.controlPage();
      try (Fd fd = area.fd()) {
        page = mapped(fd, area.offset(), 4096);
      }
    }

    private void map(GpuMemory what, GpuVa at) {
      GpuVa _ = space.map(what, at, new GpuVa(at.value() + what.sizeBytes()), false);
    }

    void drain() {
      channel.detach();
      awaitDrained();
    }

    void awaitDrained() {
      await(() -> channel.status().progress().drained());
    }

    /** What increments have been counted. */
    int counted() {
      GpuMemory seen = open.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096));
      open.copy(video, 0, seen, 0, 4096);
      GuestGpu.SharedArea area = seen.share();
      try (Fd fd = area.fd();
          Mapping mapping = real.mmap(fd, 0, 4096, Kernel.PROT_READ)) {
        return mapping.segment().get(Layouts.U32, 0);
      } finally {
        seen.close();
      }
    }

    @Override
    public void close() {
      open.close();
    }
  }

  static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private MemorySegment mapped(Fd fd, long offset, long bytes) {
    Mapping mapping = real.mmap(fd, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    closing.push(mapping);
    return mapping.segment();
  }

  void await(BooleanSupplier condition) {
    await(gpu, condition);
  }

  /** Waits for a condition while the GPU's thread polls. */
  static void await(Gpu polled, BooleanSupplier condition) {
    long until = System.nanoTime() + TIMEOUT_NS;
    while (!condition.getAsBoolean()) {
      long _ = polled.poll(polled.timeNs());
      assertThat(System.nanoTime()).as("in time").isLessThan(until);
      Thread.onSpinWait();
    }
  }

  @BeforeEach
  void start() {
    kernel = hopper.start(real);
    gpu = new NvidiaGpu("test", "", kernel, new Random(1), rm);
    closing.push(gpu);
    ram = real.memfdCreate("ram", RAM_BYTES);
    closing.push(ram);
    memory = mapped(ram, 0, RAM_BYTES);
    side = new Side();
    MemorySegment doorbell = mapped(gpu.doorbell().fd(), 0, 4096);
    ring = new HopperRing(memory, pages(doorbell), RING);
    side.channel.start(RING, HopperRing.ORDER, 1);
  }

  /** The pages of whichever side holds the guest. */
  private HopperRing.ChannelPages pages(MemorySegment doorbell) {
    return new HopperRing.ChannelPages() {
      @Override
      public UserdWords control() {
        return new UserdWords(side.page);
      }

      @Override
      public MemorySegment doorbell() {
        return doorbell;
      }
    };
  }

  @AfterEach
  void stop() throws Exception {
    side.close();
    hopper.close();
    while (!closing.isEmpty()) {
      closing.pop().close();
    }
  }

  void submit(int count) {
    for (int i = 0; i < count; i++) {
      await(() -> !ring.isFull());
      commands.clear();
      if (submitted == 0) {
        commands.bindCopy();
      }
      submitted++;
      long _ = ring.submitWithRelease(commands.increment(VIDEO));
    }
  }

  void assertAllRanOnce() {
    await(() -> ring.hasReleased(submitted));
    assertThat(side.counted()).isEqualTo(submitted);
  }

  static void assertErrno(Runnable refused, Errno errno) {
    assertThatThrownBy(refused::run)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }
}
