package io.sluice.testbed.conformance.rig;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.submit.HopperRing;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A channel of this process, with a {@link HopperRing} to submit by. What it takes to submit can be
 * handed to another process: {@link #areas}.
 */
public final class HopperQueue implements AutoCloseable {
  private static final int SYSTEM_MEMORY = PscnvGem.SYSRAM_SNOOP;

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final GuestGpu gpu;
  private final Kernel kernel;
  private final GpuMemory buffer;
  private final Channel channel;
  private final MovablePages pages;
  private final HopperRing ring;

  /**
   * A new channel with a ring of its own.
   *
   * @param base where {@link HopperRing#SIZE_BYTES} of the space are free
   * @param objectClasses what it declares before it starts
   */
  public HopperQueue(
      GuestGpu gpu, AddressSpace space, Kernel kernel, GpuVa base, int... objectClasses) {
    this.gpu = gpu;
    this.kernel = kernel;
    boolean complete = false;
    try {
      buffer =
          keep(
              gpu.allocate(
                  new MemoryRequest(
                      SYSTEM_MEMORY, 0, 0, HopperRing.SIZE_BYTES, OptionalLong.empty())));
      MemorySegment memory = map(buffer.share(), true);
      GpuVa _ = space.map(buffer, base, new GpuVa(base.value() + HopperRing.SIZE_BYTES), false);
      closing.push(() -> space.unmap(base));
      channel = keep(space.createChannel(OptionalInt.empty()));
      MemorySegment control = map(channel.controlPage(), true);
      MemorySegment doorbell = map(gpu.doorbell().orElseThrow(), false);
      for (int objectClass : objectClasses) {
        channel.declareObject(objectClass, objectClass, 0);
      }
      pages = new MovablePages(control, doorbell);
      ring = new HopperRing(memory, pages, base);
      channel.start(base, HopperRing.ORDER, 1);
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private <T extends AutoCloseable> T keep(T resource) {
    closing.push(resource);
    return resource;
  }

  private MemorySegment map(SharedArea area, boolean ours) {
    Mapping mapping =
        kernel.mmap(
            area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
    if (ours) {
      area.fd().close();
    }
    return keep(mapping).segment();
  }

  /** The channel it submits to. */
  public Channel channel() {
    return channel;
  }

  /** What it does while the host holds its channel, in place of spinning. */
  public void whileWithdrawn(Runnable action) {
    pages.whileWithdrawn(action);
  }

  /** To submit by. */
  public HopperRing ring() {
    return ring;
  }

  /** Memory, control page and doorbell, in the order of {@link HopperRing}; the caller closes. */
  public List<SharedArea> areas() {
    SharedArea doorbell = gpu.doorbell().orElseThrow();
    Fd copy = kernel.dup(doorbell.fd());
    return List.of(
        buffer.share(),
        channel.controlPage(),
        new SharedArea(copy, doorbell.offset(), doorbell.sizeBytes()));
  }

  /** Ends the channel, then gives its memory back. */
  @Override
  public void close() {
    RuntimeException failure = null;
    // The channel goes before what it uses.
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        failure = failure == null ? new IllegalStateException("not closed", e) : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
