package io.sluice.testbed.conformance.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** A guest on any GPU: memory of its own with a queue in it, an address space and a channel. */
final class TestGuest implements AutoCloseable {
  /** Where its memory is for the GPU, in every guest. */
  static final GpuVa RAM = new GpuVa(0x10_0000_0000L);

  /** Bytes of its memory, the queue's included. */
  static final long RAM_BYTES = 32L << 20;

  /** Where its video memory begins for the GPU, in every guest. */
  static final long VIDEO = 0x20_0000_0000L;

  /** An address where nothing is. */
  static final long NOWHERE = 0x70_0000_0000L;

  /** Generous: machines may be slow, and nothing is measured. */
  static final long TIMEOUT_NS = 60_000_000_000L;

  final GuestGpu open;
  final AddressSpace space;
  final Fd ram;
  final MemorySegment bytes;
  private final RegisteredMemory region;
  private boolean regionClosed;
  final Channel channel;
  final TestQueue queue;
  private final Kernel kernel = NvidiaRig.kernel();
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();

  /**
   * @param opened owned by this
   * @param memory of {@link #RAM_BYTES}; stays the caller's
   * @param queues makes the queue, unless one goes on
   */
  TestGuest(GuestGpu opened, Fd memory, QueueMaker queues) {
    open = opened;
    closing.push(open);
    ram = memory;
    bytes = map(new SharedArea(memory, 0, RAM_BYTES));
    space = keep(open.createAddressSpace());
    region = open.addRegion(memory, 0, RAM_BYTES, true);
    closing.push(this::closeRegion);
    GpuMemory own = keep(open.register(request(PscnvGem.SYSRAM_SNOOP, RAM_BYTES)));
    own.setPages(0, List.of(new RegionExtent(region, 0, RAM_BYTES)));
    mapAt(own, RAM.value());
    queue = queues.make(bytes, RAM);
    channel = keep(space.createChannel(OptionalInt.empty()));
    for (int objectClass : queue.classes()) {
      channel.declareObject(objectClass, objectClass, 0);
    }
  }

  /** Makes a queue in a guest's memory. */
  interface QueueMaker {
    /** At the beginning of the memory. */
    TestQueue make(MemorySegment memory, GpuVa base);
  }

  static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private <T extends AutoCloseable> T keep(T resource) {
    closing.push(resource);
    return resource;
  }

  /** Takes its memory from the GPU. */
  void closeRegion() {
    if (!regionClosed) {
      regionClosed = true;
      region.close();
    }
  }

  /** Gives the channel its ring. */
  TestGuest start() {
    channel.start(RAM, queue.order(), 1);
    queue.attach(control(), doorbell());
    return this;
  }

  MemorySegment control() {
    SharedArea area = channel.controlPage();
    try (Fd _ = area.fd()) {
      return map(area);
    }
  }

  MemorySegment doorbell() {
    return open.doorbell().map(this::map).orElse(MemorySegment.NULL);
  }

  private MemorySegment map(SharedArea area) {
    return keep(kernel.mmap(
            area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE))
        .segment();
  }

  /** Memory that a processor sees too. */
  GpuMemory allocateSystem(long size) {
    return keep(open.allocate(request(PscnvGem.SYSRAM_SNOOP | PscnvGem.MAPPABLE, size)));
  }

  /** Video memory, mapped at an address. */
  GpuMemory videoAt(long address, long size) {
    GpuMemory memory = open.allocate(request(PscnvGem.MAPPABLE, size));
    closing.push(memory);
    mapAt(memory, address);
    return memory;
  }

  private void mapAt(GpuMemory memory, long address) {
    GpuVa at =
        space.map(memory, new GpuVa(address), new GpuVa(address + memory.sizeBytes()), false);
    assertThat(at.value()).isEqualTo(address);
    closing.push(() -> space.unmap(at));
  }

  /** What a processor sees of a buffer, to be closed. */
  Mapping view(GpuMemory memory) {
    SharedArea area = memory.share();
    try (Fd fd = area.fd()) {
      return kernel.mmap(fd, area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
    }
  }

  /** Its own memory behind the queue's. */
  MemorySegment data() {
    return bytes.asSlice(TestQueue.BYTES);
  }

  /** Where that is for the GPU. */
  static long dataAt(long offset) {
    return RAM.value() + TestQueue.BYTES + offset;
  }

  /** Waits for a submission's end. */
  void await(long submission) {
    assertThat(eventually(() -> queue.isDone(submission)))
        .as("ends: %s", channel.status())
        .isTrue();
  }

  /** Submits a copy and waits for it. */
  void copy(long from, long to, long size) {
    await(queue.begin().copy(from, to, size).submit());
  }

  /**
   * Takes the drains of a card, on which it is, a step further; whether its channel's is through.
   */
  boolean hasDrained(Gpu card) {
    long _ = card.poll(card.timeNs());
    return channel.status().progress().drained();
  }

  static boolean eventually(BooleanSupplier condition) {
    long until = System.nanoTime() + TIMEOUT_NS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > until) {
        return condition.getAsBoolean();
      }
      Thread.onSpinWait();
    }
    return true;
  }

  @Override
  public void close() throws Exception {
    while (!closing.isEmpty()) {
      closing.pop().close();
    }
  }
}
