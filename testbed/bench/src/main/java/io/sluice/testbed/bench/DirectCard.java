package io.sluice.testbed.bench;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.guest.Pushbuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The software GPU in this process, used through its backend alone: no virtual device, no daemon.
 * What a guest's submissions are compared with.
 */
final class DirectCard implements AutoCloseable {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final int RING_ORDER = 9;
  private static final int GP_PUT = 0x8c;
  private static final int PUSHBUFFER_BYTES = 1 << 16;
  private static final long LOWEST = 0x2000_0000L;
  private static final long HIGHEST = 1L << 40;

  private final Kernel kernel;
  private final SoftwareGpu card;
  private final Thread thread;
  private final Gpu gpu;
  private final GuestGpu guest;
  private final AddressSpace space;
  private final Channel channel;
  private final List<Mapping> mappings = new ArrayList<>();
  private final MemorySegment control;
  private final MemorySegment ring;
  private final MemorySegment pushbuffer;
  private final long pushbufferAddress;
  private final MemorySegment semaphore;
  private final GpuVa semaphoreAddress;
  private volatile boolean stopped;
  private int put;

  DirectCard(Kernel kernel) {
    this.kernel = kernel;
    IdleStrategy idle = new Parking();
    card = new SoftwareGpu(kernel, GpuConfig.gtx480(), System::nanoTime, idle);
    thread = Thread.ofPlatform().daemon().name("direct-gpu").start(() -> work(idle));
    gpu = new PscnvGpu("direct", kernel, card::open);
    guest = gpu.open("bench");
    space = guest.createAddressSpace();
    Buffer ringBuffer = system(8 << RING_ORDER);
    Buffer words = system(PUSHBUFFER_BYTES);
    Buffer mark = system(4096);
    ring = ringBuffer.bytes();
    pushbuffer = words.bytes();
    pushbufferAddress = words.address().value();
    semaphore = mark.bytes();
    semaphoreAddress = mark.address();
    channel = space.createChannel(OptionalInt.empty());
    control = map(guest.controlPages().orElseThrow(), channel.id() * 4096L, 4096);
    channel.start(ringBuffer.address(), RING_ORDER, 1);
  }

  /** A buffer that is mapped. */
  record Buffer(GpuVa address, MemorySegment bytes) {}

  /** A buffer in host memory. */
  Buffer system(long bytes) {
    return buffer(PscnvGem.SYSRAM_SNOOP | PscnvGem.MAPPABLE, bytes);
  }

  /** A buffer in video memory. */
  Buffer video(long bytes) {
    return buffer(PscnvGem.MAPPABLE, bytes);
  }

  private Buffer buffer(int flags, long bytes) {
    GpuMemory memory = guest.allocate(new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty()));
    GpuVa address = space.map(memory, new GpuVa(LOWEST), new GpuVa(HIGHEST), false);
    SharedArea area = memory.share();
    try (var _ = area.fd()) {
      return new Buffer(address, map(area, 0, bytes));
    }
  }

  private MemorySegment map(SharedArea area, long offset, long bytes) {
    Mapping mapping =
        kernel.mmap(area.fd(), area.offset() + offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    mappings.add(mapping);
    return mapping.segment();
  }

  /** Submits words with a release behind them, and waits for it. */
  void run(Pushbuffer words, int mark) {
    int[] all = words.release(semaphoreAddress, mark).toArray();
    MemorySegment.copy(all, 0, pushbuffer, ValueLayout.JAVA_INT, 0, all.length);
    ring.setAtIndex(ValueLayout.JAVA_LONG, put, pushbufferAddress | (long) (4 * all.length) << 40);
    put = put + 1 & (1 << RING_ORDER) - 1;
    INT.setRelease(control, (long) GP_PUT, put);
    while ((int) INT.getAcquire(semaphore, 0L) != mark) {
      Thread.onSpinWait();
    }
  }

  private void work(IdleStrategy idle) {
    while (!stopped) {
      if (card.engine().doWork(System.nanoTime()) == 0) {
        idle.idle(card.engine().idleNs());
      }
    }
  }

  /** Waits as the daemon's engine does. */
  private final class Parking implements IdleStrategy {
    @Override
    public void idle(long ns) {
      if (ns <= 0) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(ns);
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void close() throws InterruptedException {
    channel.close();
    guest.close();
    stopped = true;
    thread.join();
    gpu.close();
    card.close();
    mappings.forEach(Mapping::close);
  }
}
