package io.sluice.testbed.bench.submission;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.state.ChannelError;
import io.sluice.guest.Pushbuffer;
import io.sluice.testbed.bench.measure.PatientWait;
import io.sluice.testbed.workloads.device.ComputePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A channel of {@link DirectGpu}, with one submission under way at a time. */
final class DirectChannel implements ComputePort, AutoCloseable {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final int RING_ORDER = 9;
  private static final int GP_PUT = 0x8c;
  private static final int RING_BYTES = Long.BYTES << RING_ORDER;
  private static final int SEMAPHORE_BYTES = 4096;
  private static final int PUSHBUFFER_BYTES = 1 << 20;
  private static final long LOWEST = 0x2000_0000L;
  private static final long HIGHEST = 1L << 40;

  private static final int TIMEOUT_MS = 600_000;

  private static final EventSink NO_SINK =
      new EventSink() {
        @Override
        public void interrupt(int channelId, long timeNs) {}

        @Override
        public void error(ChannelError error) {
          throw new IllegalStateException("the channel ended, " + error);
        }
      };

  private final Kernel kernel;
  private final GuestGpu guest;
  private final boolean interrupt;
  private final short[] readable = new short[1];
  private final AddressSpace space;
  private final Channel channel;
  private final List<Mapping> mappings = new ArrayList<>();
  private final List<GpuMemory> memories = new ArrayList<>();
  private final List<GpuVa> mapped = new ArrayList<>();
  private final MemorySegment control;
  private final MemorySegment ring;
  private final MemorySegment pushbuffer;
  private final long pushbufferAddress;
  private final MemorySegment semaphore;
  private final GpuVa semaphoreAddress;
  private int put;
  private int lastMark;

  /**
   * @param guest whose it is; stays the caller's
   * @param interrupt to wait for the GPU asleep, by the channel's interrupt; otherwise by polling
   */
  DirectChannel(Kernel kernel, GuestGpu guest, boolean interrupt) {
    this.interrupt = interrupt;
    this.kernel = kernel;
    this.guest = guest;
    space = guest.createAddressSpace();
    // One buffer, as guests have.
    Memory memory = system(RING_BYTES + SEMAPHORE_BYTES + PUSHBUFFER_BYTES);
    long start = memory.address().value();
    ring = memory.bytes().asSlice(0, RING_BYTES);
    semaphore = memory.bytes().asSlice(RING_BYTES, SEMAPHORE_BYTES);
    semaphoreAddress = new GpuVa(start + RING_BYTES);
    pushbuffer = memory.bytes().asSlice(RING_BYTES + SEMAPHORE_BYTES);
    pushbufferAddress = start + RING_BYTES + SEMAPHORE_BYTES;
    channel = space.createChannel(OptionalInt.empty());
    control = map(guest.controlPages().orElseThrow(), channel.id() * 4096L, 4096);
    channel.start(memory.address(), RING_ORDER, 1);
  }

  @Override
  public Memory system(long bytes) {
    return memory(PscnvGem.SYSRAM_SNOOP | PscnvGem.MAPPABLE, bytes);
  }

  @Override
  public Memory video(long bytes) {
    return memory(PscnvGem.MAPPABLE, bytes);
  }

  private Memory memory(int flags, long bytes) {
    GpuMemory memory = guest.allocate(new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty()));
    GpuVa address = space.map(memory, new GpuVa(LOWEST), new GpuVa(HIGHEST), false);
    memories.add(memory);
    mapped.add(address);
    SharedArea area = memory.share();
    try (var _ = area.fd()) {
      return new Memory(address, map(area, 0, bytes));
    }
  }

  private MemorySegment map(SharedArea area, long offset, long bytes) {
    Mapping mapping =
        kernel.mmap(area.fd(), area.offset() + offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    mappings.add(mapping);
    return mapping.segment();
  }

  @Override
  public void run(Pushbuffer words) {
    run(words, ++lastMark);
  }

  /** Submits words with a release of a mark behind them, and waits for it. */
  void run(Pushbuffer words, int mark) {
    lastMark = mark;
    words.release(semaphoreAddress, mark);
    int[] all = (interrupt ? words.interrupt() : words).toArray();
    MemorySegment.copy(all, 0, pushbuffer, ValueLayout.JAVA_INT, 0, all.length);
    ring.setAtIndex(ValueLayout.JAVA_LONG, put, pushbufferAddress | (long) (4 * all.length) << 40);
    put = put + 1 & (1 << RING_ORDER) - 1;
    INT.setRelease(control, (long) GP_PUT, put);
    if (!interrupt) {
      PatientWait.until(() -> isAt(mark));
    }
    while (!isAt(mark)) {
      sleep();
    }
  }

  private boolean isAt(int mark) {
    return (int) INT.getAcquire(semaphore, 0L) == mark;
  }

  /** Sleeps until the GPU has something to tell. */
  private void sleep() {
    Fd events = guest.events();
    if (kernel.poll(List.of(events), new short[] {Kernel.POLLIN}, readable, TIMEOUT_MS) == 0) {
      throw new IllegalStateException("the GPU was not done within " + TIMEOUT_MS + " ms");
    }
    guest.readEvents(NO_SINK);
  }

  @Override
  public void close() {
    channel.close();
    mapped.forEach(space::unmap);
    memories.forEach(GpuMemory::close);
    space.close();
    mappings.forEach(Mapping::close);
  }
}
