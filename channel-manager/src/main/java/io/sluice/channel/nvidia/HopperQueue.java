package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Submits work to a channel from this process, by the means that a guest has: it maps the control
 * page, the doorbell and memory of its own, and calls nobody.
 *
 * <p>The memory is one buffer at one address: ring, then a semaphore, then pushbuffers, one per
 * ring entry, so that an entry's pushbuffer is free when its entry is. Submitting allocates
 * nothing. Not for several threads.
 */
public final class HopperQueue implements AutoCloseable {
  /** Ring entries. */
  public static final int ENTRIES = 256;

  private static final int RING_ORDER = 8;
  private static final long SEMAPHORE = ENTRIES * 8L;
  private static final long PUSHBUFFERS = 4096;
  private static final long PUSHBUFFER_BYTES = HopperCommands.MAX_WORDS * 4L;

  /** Bytes of address space it takes. */
  public static final long SIZE_BYTES = PUSHBUFFERS + ENTRIES * PUSHBUFFER_BYTES;

  private static final int SYSTEM_MEMORY = PscnvGem.SYSRAM_SNOOP;
  private static final VarHandle U32 = Layouts.U32.varHandle();
  private static final VarHandle U64 = Layouts.U64.varHandle();

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final GpuVa base;
  private final MemorySegment memory;
  private final MemorySegment control;
  private final MemorySegment doorbell;
  private final Channel channel;
  private int put;
  private long released;

  /**
   * A new channel with a ring of its own.
   *
   * @param base where {@link #SIZE_BYTES} of the space are free
   * @param objectClasses what it declares before it starts
   */
  public HopperQueue(
      GuestGpu gpu, AddressSpace space, Kernel kernel, GpuVa base, int... objectClasses) {
    this.base = base;
    boolean complete = false;
    try {
      GpuMemory buffer =
          keep(
              gpu.allocate(
                  new MemoryRequest(SYSTEM_MEMORY, 0, 0, SIZE_BYTES, OptionalLong.empty())));
      memory = map(kernel, buffer.share(), true);
      GpuVa _ = space.map(buffer, base, new GpuVa(base.value() + SIZE_BYTES), false);
      closing.push(() -> space.unmap(base));
      channel = keep(space.createChannel(OptionalInt.empty()));
      control = map(kernel, channel.controlPage(), true);
      doorbell = map(kernel, gpu.doorbell().orElseThrow(), false);
      for (int objectClass : objectClasses) {
        channel.declareObject(objectClass, objectClass, 0);
      }
      channel.start(base, RING_ORDER, 1);
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

  private MemorySegment map(Kernel kernel, SharedArea area, boolean ours) {
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

  /** Whether the ring has no room; entries become free as they are fetched. */
  public boolean isFull() {
    return ((put + 1) & (ENTRIES - 1))
        == (int) U32.getAcquire(control, (long) GuestAbi.USERD_GP_GET);
  }

  /**
   * Submits a pushbuffer.
   *
   * @throws IllegalStateException the ring {@link #isFull}
   */
  public void submit(HopperCommands commands) {
    if (isFull()) {
      throw new IllegalStateException("the ring is full, entries=" + ENTRIES);
    }
    long pushbuffer = PUSHBUFFERS + put * PUSHBUFFER_BYTES;
    for (int i = 0; i < commands.count(); i++) {
      memory.set(Layouts.U32, pushbuffer + i * 4L, commands.word(i));
    }
    long entry = HopperMethods.entry(base.value() + pushbuffer, commands.count());
    U64.setRelease(memory, put * 8L, entry);
    put = (put + 1) & (ENTRIES - 1);
    VarHandle.fullFence();
    U32.setOpaque(control, (long) GuestAbi.USERD_GP_PUT, put);
    ring();
  }

  /** A channel that moves changes its token: ring until the token rung is the one that counts. */
  private void ring() {
    int token;
    do {
      VarHandle.fullFence();
      token = ControlWords.doorbellToken(control, GuestAbi.CONTROL_OFFSET);
      U32.setOpaque(doorbell, UsermodePage.DOORBELL, token);
      VarHandle.fullFence();
    } while (token != ControlWords.doorbellToken(control, GuestAbi.CONTROL_OFFSET));
  }

  /**
   * Adds a release of this queue's semaphore behind the commands and submits both.
   *
   * @return what {@link #await} wants
   */
  public long submitWithRelease(HopperCommands commands) {
    released++;
    submit(commands.release(new GpuVa(base.value() + SEMAPHORE), released));
    return released;
  }

  /** Whether a release, and with it all before, has happened. */
  public boolean hasReleased(long value) {
    return (long) U64.getAcquire(memory, SEMAPHORE) - value >= 0;
  }

  /**
   * Spins until a release has happened.
   *
   * @param nanoTime a clock
   * @param timeoutNs how long at most
   * @return whether it has
   */
  public boolean await(long value, LongSupplier nanoTime, long timeoutNs) {
    long start = nanoTime.getAsLong();
    while (!hasReleased(value)) {
      if (nanoTime.getAsLong() - start > timeoutNs) {
        return hasReleased(value);
      }
      Thread.onSpinWait();
    }
    return true;
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
