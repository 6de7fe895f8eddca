package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.nvidia.evict.EvictionPool;
import io.sluice.channel.nvidia.submit.HopperRing;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a card makes beforehand, and whose bytes are in it. */
final class EvictionPoolTest {
  private static final long CHUNK = EvictionPool.CHUNK_BYTES;
  private static final long HUGE = 2L << 20;
  private static final long SMALL = 4096;

  /** More than the time for which nobody may have moved anything. */
  private static final long QUIET_NS = 2_000_000_000;

  private static final String PINNED = Integer.toHexString(RmClass.NV01_MEMORY_SYSTEM.number());

  private final Kernel real = RealKernel.create();
  private final FakeRm rm = new FakeRm(real);
  private final FakeHopper hopper = rm.execute();
  private NvidiaGpu gpu;

  @BeforeEach
  void start() {
    hopper.slowClock(); // that nobody has moved anything for a second is said by the tests
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
    open.copy(memory, memory.sizeBytes() - 4096, seen, 0, 4096);
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
      open.copy(from, 0, memory, memory.sizeBytes() - 4096, 4096);
    } finally {
      from.close();
    }
  }

  /** Nobody has moved anything for a while then; the clock takes a moment to show it. */
  private void awaitMore(long bytes) {
    hopper.pass(QUIET_NS);
    boolean more = false;
    for (int i = 0; i < 1_000_000 && !more; i++) {
      more = gpu.prepareMore(bytes);
      Thread.yield();
    }
    assertThat(more).isTrue();
  }

  /** Warm-ups leave no more behind than the first one; then there is as much as was asked for. */
  @Test
  void prepareMore_untilThereIsNoMore_hasWhatWasAskedFor() {
    assertThat(gpu.prepareMore(2 * CHUNK)).isTrue();
    Map<String, Integer> after = rm.objectCounts();
    int left = after.getOrDefault(PINNED, 0);
    for (int i = 1; i < 6; i++) {
      assertThat(rm.objectCounts()).isEqualTo(after);
      assertThat(gpu.prepareMore(2 * CHUNK)).isTrue();
    }
    assertThat(rm.objectCounts()).isEqualTo(after);
    while (gpu.prepareMore(2 * CHUNK)) {
      assertThat(rm.objectCounts().getOrDefault(PINNED, 0)).isLessThan(20);
    }
    int ready = rm.objectCounts().getOrDefault(PINNED, 0);
    assertThat(ready).isEqualTo(left + 2);
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

  /** A piece of a program's can be longer than what is copied in the time of one wait. */
  @Test
  void copy_ofMuch_isWaitedForPieceByPiece() {
    try (GuestGpu guest = gpu.open("guest")) {
      GpuMemory from = guest.allocate(request(PscnvGem.VRAM_SMALL, 4 * CHUNK));
      int[] source = rm.newest(RmClass.NV01_MEMORY_LOCAL_USER);
      GpuMemory to = guest.allocate(request(PscnvGem.VRAM_SMALL, 4 * CHUNK));
      int[] target = rm.newest(RmClass.NV01_MEMORY_LOCAL_USER);
      store(guest, from, (byte) 0x5a);
      hopper.slowCopies(60_000_000);
      gpu.copier().copy(source[0], source[1], target[1], 4 * CHUNK);
      hopper.slowCopies(0);
      assertThat(last(guest, to)).isEqualTo((byte) 0x5a);
    }
  }

  /** The GPU may go on with it: nobody else's memory must be at the addresses until it has. */
  @Test
  void copy_thatDoesNotEndInTime_leavesTheMemoryMappedUntilItEnds() {
    try (GuestGpu guest = gpu.open("guest")) {
      GpuMemory from = video(guest);
      int[] source = rm.newest(RmClass.NV01_MEMORY_LOCAL_USER);
      GpuMemory to = video(guest);
      int[] target = rm.newest(RmClass.NV01_MEMORY_LOCAL_USER);
      gpu.copier().copy(source[0], source[1], target[1], CHUNK);
      store(guest, from, (byte) 0x5a);
      int mappings = rm.mappings();
      hopper.setHalted(true);
      Thread time = Thread.ofPlatform().start(this::letTimePass);
      assertThatThrownBy(() -> gpu.copier().copy(source[0], source[1], target[1], CHUNK))
          .isInstanceOf(RefusedException.class);
      time.interrupt();
      assertThat(rm.mappings()).isEqualTo(mappings + 2);
      assertThatThrownBy(() -> gpu.copier().clear(target[0], target[1], CHUNK))
          .isInstanceOf(RefusedException.class);
      assertThat(rm.mappings()).isEqualTo(mappings + 2);
      hopper.setHalted(false);
      awaitCopier(source);
      assertThat(rm.mappings()).isEqualTo(mappings);
      assertThat(last(guest, to)).isEqualTo((byte) 0x5a);
    }
  }

  private void letTimePass() {
    while (!Thread.interrupted()) {
      hopper.pass(100_000_000);
      Thread.yield();
    }
  }

  private void awaitCopier(int[] object) {
    boolean done = false;
    while (!done) {
      try {
        gpu.copier().clear(object[0], object[1], SMALL);
        done = true;
      } catch (RefusedException e) {
        Thread.yield(); // the copy is under way
      }
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

  private static List<GpuMemory> several(GuestGpu open, long bytes) {
    List<GpuMemory> several = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      several.add(open.allocate(request(PscnvGem.VRAM_SMALL, bytes)));
    }
    return several;
  }

  /** Without pages of 2 MiB it takes longer, and is the same. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void setPools_ofSeveral_keepsTheirBytes(boolean smallPages) {
    rm.noLargePages = smallPages;
    try (GuestGpu guest = gpu.open("guest")) {
      List<GpuMemory> several = several(guest, HUGE);
      for (int i = 0; i < several.size(); i++) {
        store(guest, several.get(i), (byte) (i + 1));
      }
      several.get(2).setPool(true); // it is there already
      for (boolean system : new boolean[] {true, true, false}) {
        assertThat(guest.setPools(several, system)).isEqualTo(4);
        assertThat(guest.usage().vramBytes()).isEqualTo(system ? 0 : 4 * HUGE);
        for (int i = 0; i < several.size(); i++) {
          assertThat(last(guest, several.get(i))).as("buffer %d", i).isEqualTo((byte) (i + 1));
        }
      }
    }
  }

  @Test
  void setPools_whileTheHostHasNoneToSpare_staysInVideoMemory() {
    try (GuestGpu guest = gpu.open("guest")) {
      GpuMemory memory = guest.allocate(request(PscnvGem.VRAM_SMALL, HUGE));
      store(guest, memory, (byte) 7);
      hopper.setAvailableBytes(real.hostLimits().memoryBytes() / 16 + HUGE - 1);
      assertThatThrownBy(() -> guest.setPools(List.of(memory), true))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
          .hasMessageContaining("no memory to spare");
      assertThat(guest.usage().vramBytes()).isEqualTo(HUGE);
      assertThat(last(guest, memory)).isEqualTo((byte) 7);
      hopper.setAvailableBytes(real.hostLimits().memoryBytes() / 16 + HUGE);
      assertThat(guest.setPools(List.of(memory), true)).isEqualTo(1);
      assertThat(last(guest, memory)).isEqualTo((byte) 7);
    }
  }

  private long copiedOn(int engine) {
    synchronized (rm) {
      return rm.copied.getOrDefault(engine, 0L);
    }
  }

  /** Engines 11 to 13 are guests', of which the last one is left to monitors, and the fastest. */
  @Test
  void setPools_whileOthersWork_copiesOnAnEngineThatNoneOfThemHasAChannelOn() {
    try (GuestGpu guest = gpu.open("guest");
        GuestGpu first = gpu.open("first");
        GuestGpu second = gpu.open("second")) {
      GpuMemory memory = guest.allocate(request(PscnvGem.VRAM_SMALL, HUGE));
      assertThat(guest.setPools(List.of(memory), true)).as("nobody works").isEqualTo(1);
      assertThat(copiedOn(13)).isEqualTo(HUGE);
      startChannel(first);
      assertThat(guest.setPools(List.of(memory), false)).isEqualTo(1);
      assertThat(copiedOn(12)).isEqualTo(HUGE);
      assertThat(copiedOn(13)).isEqualTo(HUGE);
      startChannel(second);
      assertThat(guest.setPools(List.of(memory), true)).as("none is left").isEqualTo(1);
      assertThat(copiedOn(13)).isEqualTo(2 * HUGE);
      GpuMemory other = first.allocate(request(PscnvGem.VRAM_SMALL, HUGE));
      assertThat(first.setPools(List.of(other), true)).as("its own").isEqualTo(1);
      assertThat(copiedOn(11)).isEqualTo(HUGE);
    }
  }

  private static void startChannel(GuestGpu open) {
    AddressSpace space = open.createAddressSpace();
    GpuMemory ring = open.allocate(request(PscnvGem.SYSRAM_SNOOP, HopperRing.SIZE_BYTES));
    GpuVa at = new GpuVa(0x10_0000_0000L);
    GpuVa _ = space.map(ring, at, new GpuVa(at.value() + ring.sizeBytes()), false);
    Channel channel = space.createChannel(OptionalInt.empty());
    channel.declareObject(1, RmClass.HOPPER_DMA_COPY_A.number(), 0);
    channel.start(at, HopperRing.ORDER, 1);
  }

  /** Whatever RM refuses: those before have moved, those behind are where they were. */
  @Test
  void setPools_thatFindNoRoom_moveThoseForWhichThereIsSome() {
    for (boolean system : new boolean[] {true, false}) {
      for (int call = 1; call < 40; call++) {
        try (GuestGpu guest = gpu.open("guest")) {
          List<GpuMemory> several = several(guest, SMALL);
          for (int i = 0; i < several.size(); i++) {
            store(guest, several.get(i), (byte) (i + 1));
          }
          assertThat(guest.setPools(several, !system)).isEqualTo(4);
          rm.refuseCall = rm.calls() + call;
          int moved = 0;
          try {
            moved = guest.setPools(several, system);
          } catch (RefusedException e) {
            assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
          }
          rm.refuseCall = 0;
          long there = system ? 4 - moved : moved;
          assertThat(guest.usage().vramBytes()).as("call %d", call).isEqualTo(there * SMALL);
          for (int i = 0; i < several.size(); i++) {
            assertThat(last(guest, several.get(i))).as("buffer %d", i).isEqualTo((byte) (i + 1));
          }
        }
      }
    }
  }
}
