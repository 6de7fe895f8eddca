package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a card makes beforehand, and whose bytes are in it. */
final class StagingTest {
  private static final long CHUNK = Staging.CHUNK_BYTES;
  private static final String PINNED =
      Integer.toHexString(RmClass.NV01_MEMORY_SYSTEM_OS_DESCRIPTOR.number());

  private final Kernel real = RealKernel.create();
  private final FakeRm rm = new FakeRm(real);
  private final FakeHopper hopper = rm.execute();
  private NvidiaGpu gpu;

  @BeforeEach
  void start() {
    gpu = new NvidiaGpu("test", "", hopper.start(real), new Random(1), rm);
  }

  @AfterEach
  void stop() {
    gpu.close();
    hopper.close();
    assertThat(rm.objectCounts()).isEmpty();
  }

  private static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private static GpuMemory video(GuestGpu open) {
    return open.allocate(request(PscnvGem.VRAM_SMALL, CHUNK));
  }

  /** The byte at the end of a buffer. */
  private byte last(GuestGpu open, GpuMemory memory) {
    GpuMemory seen = open.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096));
    open.copy(memory, CHUNK - 4096, seen, 0, 4096);
    GuestGpu.SharedArea area = seen.share();
    try (Fd fd = area.fd();
        Mapping mapping = real.mmap(fd, 0, 4096, Kernel.PROT_READ)) {
      return mapping.segment().get(ValueLayout.JAVA_BYTE, 4095);
    } finally {
      seen.close();
    }
  }

  private void store(GuestGpu open, GpuMemory memory, byte value) {
    GpuMemory from = open.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096));
    GuestGpu.SharedArea area = from.share();
    try (Fd fd = area.fd();
        Mapping mapping = real.mmap(fd, 0, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      mapping.segment().fill(value);
      open.copy(from, 0, memory, CHUNK - 4096, 4096);
    } finally {
      from.close();
    }
  }

  /** Nobody has moved anything for a while then. */
  private void awaitMore(long bytes) {
    long until = System.nanoTime() + 20_000_000_000L;
    while (!gpu.prepareMore(bytes)) {
      assertThat(System.nanoTime()).as("in time").isLessThan(until);
      Thread.onSpinWait();
    }
  }

  /** Rehearsals leave nothing behind; then chunks are pinned, as many as asked for. */
  @Test
  void prepareMore_untilThereIsNoMore_hasWhatWasAskedFor() {
    Map<String, Integer> before = rm.objectCounts();
    while (!rm.objectCounts().containsKey(PINNED)) {
      assertThat(rm.objectCounts()).isEqualTo(before);
      assertThat(gpu.prepareMore(2 * CHUNK)).isTrue();
    }
    while (gpu.prepareMore(2 * CHUNK)) {
      assertThat(rm.objectCounts().get(PINNED)).isLessThan(20);
    }
    int ready = rm.objectCounts().get(PINNED);
    assertThat(gpu.prepareMore(2 * CHUNK)).isFalse();
    try (GuestGpu guest = gpu.open("guest")) {
      GpuMemory first = video(guest);
      GpuMemory second = video(guest);
      first.setPool(true);
      second.setPool(true);
      assertThat(rm.objectCounts().get(PINNED)).as("handles of the guest").isEqualTo(ready + 2);
      assertThat(gpu.prepareMore(2 * CHUNK)).as("not while they move").isFalse();
      awaitMore(2 * CHUNK);
    }
  }

  @Test
  void setPool_afterAnotherGuestWasThere_showsNothingOfIt() {
    try (GuestGpu one = gpu.open("one")) {
      GpuMemory memory = video(one);
      store(one, memory, (byte) 0x5a);
      memory.setPool(true);
      assertThat(last(one, memory)).isEqualTo((byte) 0x5a);
      memory.setPool(false);
      assertThat(last(one, memory)).isEqualTo((byte) 0x5a);
      memory.setPool(true);
      try (GuestGpu other = gpu.open("other")) {
        memory.close();
        GpuMemory evicted = other.allocateEvicted(request(PscnvGem.VRAM_SMALL, CHUNK));
        assertThat(last(other, evicted)).isZero();
        store(other, evicted, (byte) 0x11);
        evicted.setPool(false);
        assertThat(last(other, evicted)).isEqualTo((byte) 0x11);
      }
    }
    try (GuestGpu third = gpu.open("third")) {
      assertThat(last(third, third.allocateEvicted(request(PscnvGem.VRAM_SMALL, CHUNK)))).isZero();
    }
  }

  /** Of guests that are gone: what they left is cleared when there is time. */
  @Test
  void prepareMore_afterAGuestHasGone_clearsWhatItLeft() {
    while (gpu.prepareMore(0)) {
      assertThat(rm.objectCounts()).isNotNull();
    }
    try (GuestGpu one = gpu.open("one")) {
      GpuMemory memory = video(one);
      store(one, memory, (byte) 0x5a);
      memory.setPool(true);
    }
    awaitMore(0);
    assertThat(gpu.prepareMore(0)).isFalse();
  }
}
