package io.sluice.testbed.conformance.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assumptions;

/**
 * The NVIDIA GPU of this machine, and a guest on it with a queue; skips the test if none is here.
 */
public final class NvidiaRig {
  public static final int COPY_CLASS = 0xc8b5;
  public static final int COMPUTE_CLASS = 0xcbc0;
  public static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  public static final long TIMEOUT_NS = 2_000_000_000L;

  private static final Path NODE = Path.of("/dev/nvidiactl");

  private NvidiaRig() {}

  public static Kernel kernel() {
    return RealKernel.create();
  }

  public static NvidiaGpu open() {
    Assumptions.assumeTrue(Files.exists(NODE), () -> "no NVIDIA GPU on this machine: no " + NODE);
    return new NvidiaGpu("nvidia", "", kernel(), new SecureRandom());
  }

  /** The GPU of this index; skips the test if there are not so many. */
  public static NvidiaGpu open(int index) {
    NvidiaGpu first = open();
    List<String> cards = first.cards();
    if (index == 0) {
      return first;
    }
    first.close();
    Assumptions.assumeTrue(index < cards.size(), () -> "only these GPUs are here: " + cards);
    return new NvidiaGpu("nvidia", cards.get(index), kernel(), new SecureRandom());
  }

  /** A guest: its open, one address space, one queue, and what it allocates. */
  public static final class Guest implements AutoCloseable {
    public final Kernel kernel = kernel();
    public final GuestGpu gpu;
    public final AddressSpace space;
    public final HopperQueue queue;
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();

    public Guest(NvidiaGpu card, String name, int... classes) {
      gpu = card.open(name);
      space = gpu.createAddressSpace();
      queue = new HopperQueue(gpu, space, kernel, RING, classes);
    }

    public GpuMemory allocate(boolean system, long bytes) {
      int flags = system ? PscnvGem.SYSRAM_SNOOP : PscnvGem.VRAM_SMALL;
      GpuMemory memory = gpu.allocate(new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty()));
      closing.push(memory);
      return memory;
    }

    /** Maps at exactly this address. */
    public void mapAt(GpuMemory memory, long address) {
      GpuVa at =
          space.map(memory, new GpuVa(address), new GpuVa(address + memory.sizeBytes()), false);
      assertThat(at.value()).isEqualTo(address);
    }

    public MemorySegment cpu(GpuMemory memory) {
      SharedArea area = memory.share();
      try (var fd = area.fd()) {
        Mapping mapping =
            kernel.mmap(fd, area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
        closing.push(mapping);
        return mapping.segment();
      }
    }

    public boolean run(HopperCommands commands) {
      long done = queue.ring().submitWithRelease(commands);
      return queue.ring().await(done, System::nanoTime, TIMEOUT_NS);
    }

    /** Whether the event descriptor becomes readable in time. */
    public boolean waitForEvent() {
      return kernel.poll(
              List.of(gpu.events()),
              new short[] {Kernel.POLLIN},
              new short[1],
              (int) (TIMEOUT_NS / 1_000_000))
          == 1;
    }

    public void copy(long from, long to, long bytes) {
      HopperCommands commands =
          new HopperCommands().bindCopy().copy(new GpuVa(from), new GpuVa(to), bytes);
      assertThat(run(commands)).as("copy of %d bytes finishes", bytes).isTrue();
    }

    @Override
    public void close() throws Exception {
      queue.close();
      while (!closing.isEmpty()) {
        closing.pop().close();
      }
      space.close();
      gpu.close();
    }
  }
}
