package io.sluice.testbed.conformance.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.HopperQueue;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * One side's hold of a {@link BusyGuest}: the guest's own memory and its video memory in an address
 * space, a channel, and a file through which video memory goes to the other side.
 */
final class Seat implements AutoCloseable {
  private static final long PIECE = 16L << 20;

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final Kernel kernel = NvidiaRig.kernel();
  private final Gpu card;
  final GuestGpu gpu;
  final Channel channel;
  final GpuMemory video;
  private final GpuMemory staging;
  private final long videoBytes;

  /**
   * @param ram the guest's memory, {@link BusyGuest#RAM_BYTES}
   * @param file as long as the video memory
   */
  Seat(Gpu card, Fd ram, Fd file, boolean computes) {
    this.card = card;
    videoBytes = kernel.fstat(file).sizeBytes();
    gpu = keep(card.open("seat"));
    AddressSpace space = keep(gpu.createAddressSpace());
    GpuMemory own = register(ram, BusyGuest.RAM_BYTES);
    staging = register(file, videoBytes);
    video = keep(gpu.allocate(request(PscnvGem.VRAM_SMALL, videoBytes)));
    map(space, own, NvidiaRig.RING.value());
    map(space, video, BusyGuest.VIDEO);
    channel = keep(space.createChannel(OptionalInt.empty()));
    channel.declareObject(1, NvidiaRig.COPY_CLASS, 0);
    if (computes) {
      channel.declareObject(2, NvidiaRig.COMPUTE_CLASS, 0);
    }
    channel.setupSegment(BusyGuest.setup(computes));
    gpu.copy(staging, 0, video, 0, 4096); // everything that copies is there from now on
  }

  private GpuMemory register(Fd fd, long bytes) {
    var region = keep(gpu.addRegion(fd, 0, bytes, true));
    GpuMemory memory = keep(gpu.register(request(PscnvGem.SYSRAM_SNOOP, bytes)));
    memory.setPages(0, List.of(new RegionExtent(region, 0, bytes)));
    return memory;
  }

  private static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private void map(AddressSpace space, GpuMemory memory, long address) {
    GpuVa at =
        space.map(memory, new GpuVa(address), new GpuVa(address + memory.sizeBytes()), false);
    closing.push(() -> space.unmap(at));
  }

  private <T extends AutoCloseable> T keep(T resource) {
    closing.push(resource);
    return resource;
  }

  void start() {
    channel.start(NvidiaRig.RING, HopperRing.ORDER, 1);
  }

  /** Control page and doorbell, the descriptors the caller's. */
  List<SharedArea> areas() {
    SharedArea doorbell = gpu.doorbell().orElseThrow();
    return List.of(
        channel.controlPage(), new SharedArea(kernel.dup(doorbell.fd()), 0, doorbell.sizeBytes()));
  }

  /** Detaches, and waits for what was submitted. */
  void detachAndDrain() {
    drain(channel);
  }

  /** Takes what is under way a step further; where a channel stands then. */
  private Channel.Status polled(Channel channel) {
    long _ = card.poll(card.timeNs());
    return channel.status();
  }

  /** Where its channel stands, after a step further. */
  Channel.Status polled() {
    return polled(channel);
  }

  private void drain(Channel channel) {
    channel.detach();
    long until = System.nanoTime() + 5 * NvidiaRig.TIMEOUT_NS;
    while (!polled(channel).progress().drained()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("does not drain, " + channel.status());
      }
      Thread.onSpinWait();
    }
  }

  /** Builds what can be built before the state is known. */
  void prepare() {
    warmUp();
    channel.prepareRestore(NvidiaRig.RING, HopperRing.ORDER);
  }

  /** What runs for the first time costs the virtual machine several milliseconds. */
  private void warmUp() {
    GpuVa ring = new GpuVa(0x30_0000_0000L);
    try (AddressSpace stage = gpu.createAddressSpace();
        var queue = new HopperQueue(gpu, stage, kernel, ring, NvidiaRig.COPY_CLASS)) {
      drain(queue.channel());
      byte[] state = queue.channel().saveState();
      for (int i = 0; i < 10; i++) {
        try (Channel again = stage.createChannel(OptionalInt.empty())) {
          again.declareObject(1, NvidiaRig.COPY_CLASS, 0);
          again.prepareRestore(ring, HopperRing.ORDER);
          again.restoreState(state);
          again.resume();
        }
      }
    }
  }

  /** Video memory to the file. */
  void copyOut() {
    copyOut(_ -> {});
  }

  /**
   * The same, in pieces.
   *
   * @param done told how many bytes are there, after each
   */
  void copyOut(LongConsumer done) {
    for (long at = 0; at < videoBytes; at += PIECE) {
      gpu.copy(video, at, staging, at, PIECE);
      done.accept(at + PIECE);
    }
  }

  /** The file to video memory. */
  void copyIn() {
    copyIn(() -> videoBytes);
  }

  /**
   * The same, in pieces as they come.
   *
   * @param there how many bytes are
   */
  void copyIn(LongSupplier there) {
    for (long at = 0; at < videoBytes; at += PIECE) {
      while (there.getAsLong() < at + PIECE) {
        Thread.onSpinWait();
      }
      gpu.copy(staging, at, video, at, PIECE);
    }
  }

  @Override
  public void close() {
    RuntimeException failure = null;
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        failure = new IllegalStateException("not closed", e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
