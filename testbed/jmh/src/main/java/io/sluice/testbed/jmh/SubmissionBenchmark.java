package io.sluice.testbed.jmh;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
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
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The data path of the software GPU on one thread: GP_PUT is stored, and the engine runs until the
 * entry behind it has been executed. A release of a semaphore, and the same behind a copy of 4 KiB.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SubmissionBenchmark {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final int RING_ORDER = 9;
  private static final int ENTRIES = 1 << RING_ORDER;
  private static final int RING_BYTES = Long.BYTES << RING_ORDER;
  private static final int PAGE = 4096;
  private static final int GP_GET = 0x88;
  private static final int GP_PUT = 0x8c;
  private static final int COPIED = 0x5a5a5a5a;
  private static final long LOWEST = 0x2000_0000L;
  private static final long HIGHEST = 1L << 40;

  /** The ring, the semaphore, two pages to copy, and what is submitted, page by page. */
  private static final int BYTES = RING_BYTES + 8 * PAGE;

  /** The card's clock: a microsecond later at each submission. */
  private long nowNs;

  private final Kernel kernel = RealKernel.create();
  private final List<Mapping> mappings = new ArrayList<>();
  private final SoftwareGpu card =
      new SoftwareGpu(
          kernel, GpuConfig.gtx480(), () -> nowNs, IdleStrategy.none(), Runnable::run, 1);
  private final PscnvGpu gpu = new PscnvGpu("jmh", kernel, card::open);
  private final GuestGpu guest = gpu.open("jmh");
  private final AddressSpace space = guest.createAddressSpace();
  private final GpuMemory memory =
      guest.allocate(
          new MemoryRequest(
              PscnvGem.SYSRAM_SNOOP | PscnvGem.MAPPABLE, 0, 0, BYTES, OptionalLong.empty()));
  private final GpuVa address = space.map(memory, new GpuVa(LOWEST), new GpuVa(HIGHEST), false);
  private final MemorySegment bytes = map(memory.share(), 0, BYTES);
  private final Channel channel = space.createChannel(OptionalInt.empty());
  private final MemorySegment control =
      map(guest.controlPages().orElseThrow(), (long) channel.id() * PAGE, PAGE);

  private long release;
  private long copyAndRelease;
  private int put;

  /** Starts the channel, with both submissions written. */
  @Setup(Level.Trial)
  public void start() {
    GpuVa semaphore = at(RING_BYTES);
    release = write(RING_BYTES + 4 * PAGE, new Pushbuffer().release(semaphore, 1));
    copyAndRelease =
        write(
            RING_BYTES + 5 * PAGE,
            new Pushbuffer()
                .bindEngines()
                .copyM2mf(at(RING_BYTES + PAGE), at(RING_BYTES + 2 * PAGE), PAGE)
                .release(semaphore, 1));
    channel.start(address, RING_ORDER, 1);
  }

  @Benchmark
  public int release() {
    return submit(release);
  }

  @Benchmark
  public int copyAndRelease() {
    return submit(copyAndRelease);
  }

  private int submit(long entry) {
    bytes.setAtIndex(ValueLayout.JAVA_LONG, put, entry);
    put = put + 1 & ENTRIES - 1;
    INT.setRelease(control, (long) GP_PUT, put);
    nowNs += 1000;
    int work = 0;
    for (int done = card.engine().doWork(nowNs); done > 0; done = card.engine().doWork(nowNs)) {
      work += done;
    }
    return work;
  }

  /** Writes words into the buffer; the ring entry that points at them. */
  private long write(long offset, Pushbuffer words) {
    int[] all = words.toArray();
    MemorySegment.copy(all, 0, bytes, ValueLayout.JAVA_INT, offset, all.length);
    return at(offset).value() | (long) (4 * all.length) << 40;
  }

  private GpuVa at(long offset) {
    return new GpuVa(address.value() + offset);
  }

  private MemorySegment map(SharedArea area, long offset, long length) {
    try (var _ = area.fd()) {
      Mapping mapping =
          kernel.mmap(
              area.fd(), area.offset() + offset, length, Kernel.PROT_READ | Kernel.PROT_WRITE);
      mappings.add(mapping);
      return mapping.segment();
    }
  }

  /** Gives everything back; what was not executed is an error of the benchmark. */
  @TearDown(Level.Trial)
  public void stop() {
    bytes.set(ValueLayout.JAVA_INT, RING_BYTES + PAGE, COPIED);
    submit(copyAndRelease);
    int get = (int) INT.getAcquire(control, (long) GP_GET);
    if (get != put || bytes.get(ValueLayout.JAVA_INT, RING_BYTES + 2 * PAGE) != COPIED) {
      throw new IllegalStateException(
          "not executed, gpGet=" + get + " gpPut=" + put + " " + channel.status());
    }
    channel.close();
    space.unmap(address);
    memory.close();
    space.close();
    mappings.forEach(Mapping::close);
    guest.close();
    gpu.close();
    card.close();
  }
}
