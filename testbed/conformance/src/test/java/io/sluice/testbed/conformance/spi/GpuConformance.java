package io.sluice.testbed.conformance.spi;

import static io.sluice.testbed.conformance.spi.TestGuest.VIDEO;
import static io.sluice.testbed.conformance.spi.TestGuest.dataAt;
import static io.sluice.testbed.conformance.spi.TestGuest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.Capability;
import io.sluice.channel.EventSink;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every backend of the {@link Gpu} SPI must do, whatever its GPU is: the embedded one and
 * those of hardware run the same. What needs a capability is skipped without it, and says which;
 * that its calls are refused then is a test of its own.
 */
abstract class GpuConformance {
  private static final long VIDEO_BYTES = 8L << 20;

  private final Kernel kernel = NvidiaRig.kernel();
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private Gpu gpu;

  /** Opens the GPU; what else must be closed after it is pushed. */
  abstract Gpu open(Deque<AutoCloseable> closing);

  /** A queue in its language. */
  abstract TestQueue queue(MemorySegment memory, GpuVa base);

  @BeforeEach
  final void openGpu() {
    gpu = open(closing);
    closing.push(gpu);
  }

  @AfterEach
  final void closeAll() throws Exception {
    while (!closing.isEmpty()) {
      closing.pop().close();
    }
  }

  private boolean has(Capability capability) {
    return gpu.capabilities().contains(capability);
  }

  private void require(Capability... needed) {
    for (Capability capability : needed) {
      Assumptions.assumeTrue(
          has(capability), () -> "GPU " + gpu.info().model() + " lacks capability " + capability);
    }
  }

  private TestGuest guest(String name) {
    Fd ram = kernel.memfdCreate("ram", TestGuest.RAM_BYTES);
    closing.push(ram);
    return guest(name, ram);
  }

  private TestGuest guest(String name, Fd ram) {
    TestGuest made = new TestGuest(gpu.open(name), ram, this::queue);
    closing.push(made);
    return made;
  }

  private static void assertErrno(Runnable refused, Errno errno) {
    assertThatThrownBy(refused::run)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }

  private static void fill(MemorySegment memory, long bytes, long seed) {
    for (long at = 0; at < bytes; at += 8) {
      memory.set(ValueLayout.JAVA_LONG, at, pattern(at, seed));
    }
  }

  private static long pattern(long at, long seed) {
    return (at + seed) * 0x9e37_79b9_7f4a_7c15L | 1;
  }

  private static long wrong(MemorySegment memory, long bytes, long seed) {
    long wrong = 0;
    for (long at = 0; at < bytes; at += 8) {
      wrong += memory.get(ValueLayout.JAVA_LONG, at) == pattern(at, seed) ? 0 : 1;
    }
    return wrong;
  }

  // ---- what is refused ----

  @Test
  final void calls_withoutTheirCapability_areNotSupported() {
    TestGuest guest = guest("a");
    GpuMemory video = guest.videoAt(VIDEO, VIDEO_BYTES);
    GpuMemory host = guest.allocateSystem(VIDEO_BYTES);
    record Call(Capability capability, Runnable call) {}
    List<Call> calls =
        List.of(
            new Call(Capability.TIME_SHARES, () -> guest.open.setWeight(16)),
            new Call(Capability.BUFFER_COPIES, () -> guest.open.copy(host, 0, video, 0, 4096)),
            new Call(
                Capability.PAGE_FINGERPRINTS,
                () -> guest.open.fingerprint(video, 0, 1, new long[512], host, 0)),
            new Call(Capability.EVICTION, () -> video.setPool(true)),
            new Call(
                Capability.DIRTY_TRACKING,
                () -> video.readDirty(0, 8, true, MemorySegment.ofArray(new byte[1]))));
    for (Call one : calls) {
      if (has(one.capability())) {
        one.call().run();
      } else {
        assertErrno(one.call(), Errno.EOPNOTSUPP);
      }
    }
    assertThat(guest.open.vramAperture().isPresent()).isEqualTo(has(Capability.VRAM_APERTURE));
    assertThat(guest.open.doorbell().isPresent()).isEqualTo(has(Capability.DOORBELL));
  }

  @Test
  final void allocate_moreThanTheCardHas_isNoRoomAndTakesNone() {
    TestGuest guest = guest("a");
    long before = guest.open.usage().vramBytes();
    assertErrno(
        () ->
            guest.open.allocate(
                TestGuest.request(PscnvGem.MAPPABLE, gpu.info().vramBytes() + (1L << 30))),
        Errno.ENOMEM);
    assertThat(guest.open.usage().vramBytes()).isEqualTo(before);
    try (GpuMemory small = guest.open.allocate(TestGuest.request(PscnvGem.MAPPABLE, VIDEO_BYTES))) {
      assertThat(guest.open.usage().vramBytes()).isEqualTo(before + small.sizeBytes());
    }
    assertThat(guest.open.usage().vramBytes()).isEqualTo(before);
  }

  @Test
  final void unmap_whereNothingIs_isNotThere() {
    TestGuest guest = guest("a");
    assertErrno(() -> guest.space.unmap(new GpuVa(TestGuest.NOWHERE)), Errno.ENOENT);
  }

  // ---- memory ----

  @Test
  final void copies_ofAnyLength_moveTheBytesAndNoOthers() {
    TestGuest guest = guest("a").start();
    guest.videoAt(VIDEO, VIDEO_BYTES);
    Random random = new Random(5);
    MemorySegment data = guest.data();
    fill(data, VIDEO_BYTES, 1);
    guest.copy(dataAt(0), VIDEO, VIDEO_BYTES);
    for (int i = 0; i < 24; i++) {
      long size = 1 + random.nextInt(i < 12 ? 70 : 1 << 20);
      long from = random.nextLong(VIDEO_BYTES - size);
      data.asSlice(VIDEO_BYTES, VIDEO_BYTES).fill((byte) 0x5a);
      long to = VIDEO_BYTES + 64 + random.nextInt(64);
      guest.copy(VIDEO + from, dataAt(to), size);
      assertThat(data.asSlice(to, size).mismatch(data.asSlice(from, size)))
          .as("%d bytes from %d to %d", size, from, to)
          .isEqualTo(-1);
      assertThat(data.get(ValueLayout.JAVA_BYTE, to - 1)).isEqualTo((byte) 0x5a);
      assertThat(data.get(ValueLayout.JAVA_BYTE, to + size)).isEqualTo((byte) 0x5a);
    }
  }

  @Test
  final void guests_withTheSameAddresses_haveMemoryOfTheirOwn() {
    List<TestGuest> guests = List.of(guest("a").start(), guest("b").start());
    for (int i = 0; i < 2; i++) {
      TestGuest guest = guests.get(i);
      guest.videoAt(VIDEO, VIDEO_BYTES);
      fill(guest.data(), VIDEO_BYTES, i);
      guest.copy(dataAt(0), VIDEO, VIDEO_BYTES);
    }
    for (int i = 0; i < 2; i++) {
      TestGuest guest = guests.get(i);
      guest.copy(VIDEO, dataAt(VIDEO_BYTES), VIDEO_BYTES);
      assertThat(wrong(guest.data().asSlice(VIDEO_BYTES), VIDEO_BYTES, i)).isZero();
    }
  }

  /** A guest fills memory and ends; another one looks for its bytes in what it is given. */
  @Test
  final void freshMemory_holdsNothingOfAGuestThatWasThere() throws Exception {
    long all = Math.min(gpu.info().vramBytes() / 2, 1L << 30) & -VIDEO_BYTES;
    try (Fd ram = kernel.memfdCreate("ram", TestGuest.RAM_BYTES);
        TestGuest first = new TestGuest(gpu.open("first"), ram, this::queue).start()) {
      fill(first.data(), VIDEO_BYTES, 99);
      for (long at = 0; at < all; at += VIDEO_BYTES) {
        first.videoAt(VIDEO + at, VIDEO_BYTES);
        first.copy(dataAt(0), VIDEO + at, VIDEO_BYTES);
      }
    }
    TestGuest second = guest("second").start();
    MemorySegment data = second.data();
    long found = 0;
    for (long at = 0; at < all; at += VIDEO_BYTES) {
      second.videoAt(VIDEO + at, VIDEO_BYTES);
      data.asSlice(0, VIDEO_BYTES).fill((byte) 0x77);
      second.copy(VIDEO + at, dataAt(0), VIDEO_BYTES);
      for (long word = 0; word < VIDEO_BYTES; word += 8) {
        found += data.get(ValueLayout.JAVA_LONG, word) == 0 ? 0 : 1;
      }
    }
    assertThat(found).as("words that are not 0, in %d bytes", all).isZero();
  }

  @Test
  final void setPool_toSystemMemoryAndBack_keepsAddressesAndBytes() {
    require(Capability.EVICTION, Capability.SUSPEND);
    TestGuest guest = guest("a").start();
    // More than one of whatever pieces a backend moves.
    long size = 80L << 20;
    GpuMemory video = guest.videoAt(VIDEO, size);
    for (long at = 0; at < size; at += VIDEO_BYTES) {
      fill(guest.data(), VIDEO_BYTES, at);
      guest.copy(dataAt(0), VIDEO + at, VIDEO_BYTES);
    }
    for (boolean system : new boolean[] {true, false, true, false}) {
      guest.channel.suspend();
      video.setPool(system);
      guest.channel.resume();
      assertThat(guest.open.usage().vramBytes()).isEqualTo(system ? 0 : size);
      for (long at = 0; at < size; at += VIDEO_BYTES) {
        guest.copy(VIDEO + at, dataAt(0), VIDEO_BYTES);
        assertThat(wrong(guest.data(), VIDEO_BYTES, at)).as("at %d", at).isZero();
      }
    }
  }

  @Test
  final void copy_withoutAChannel_movesTheBytes() {
    require(Capability.BUFFER_COPIES);
    TestGuest guest = guest("a").start();
    GpuMemory video = guest.videoAt(VIDEO, VIDEO_BYTES);
    GpuMemory host = guest.allocateSystem(VIDEO_BYTES);
    try (Mapping seen = guest.view(host)) {
      fill(seen.segment(), VIDEO_BYTES, 3);
      guest.open.copy(host, 0, video, 0, VIDEO_BYTES);
      guest.copy(VIDEO, dataAt(0), VIDEO_BYTES);
      assertThat(wrong(guest.data(), VIDEO_BYTES, 3)).isZero();
      seen.segment().fill((byte) 0);
      guest.open.copy(video, 4096, host, 4096, 8192);
      assertThat(seen.segment().get(ValueLayout.JAVA_LONG, 4088)).isZero();
      assertThat(seen.segment().get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(pattern(4096, 3));
      assertThat(seen.segment().get(ValueLayout.JAVA_LONG, 12288)).isZero();
    }
    assertErrno(() -> guest.open.copy(video, -1, host, 0, 8), Errno.EINVAL);
    assertErrno(() -> guest.open.copy(video, VIDEO_BYTES - 4, host, 0, 8), Errno.EINVAL);
  }

  /** By fingerprints where the GPU computes them, by marks where it keeps them. */
  @Test
  final void pages_thatTheGpuWrote_areFound() {
    TestGuest guest = guest("a").start();
    GpuMemory video = guest.videoAt(VIDEO, VIDEO_BYTES);
    GpuMemory host = guest.allocateSystem(1 << 20);
    int pages = (int) (VIDEO_BYTES / 4096);
    long[] key = new Random(8).longs(GuestGpu.KEY_WORDS).toArray();
    fill(guest.data(), VIDEO_BYTES, 1);
    guest.copy(dataAt(0), VIDEO, VIDEO_BYTES);
    Assumptions.assumeTrue(
        has(Capability.PAGE_FINGERPRINTS) || has(Capability.DIRTY_TRACKING),
        "the GPU neither computes fingerprints nor tracks what it writes");
    byte[] marks = new byte[pages / 8];
    List<Integer> found = new ArrayList<>();
    if (has(Capability.DIRTY_TRACKING)) {
      video.readDirty(0, pages, true, MemorySegment.ofArray(marks));
      write(guest);
      video.readDirty(0, pages, true, MemorySegment.ofArray(marks));
      for (int i = 0; i < pages; i++) {
        if ((marks[i / 8] & 1 << i % 8) != 0) {
          found.add(i);
        }
      }
    } else {
      try (Mapping seen = guest.view(host)) {
        guest.open.fingerprint(video, 0, pages, key, host, 0);
        byte[] before = seen.segment().asSlice(0, pages * 16L).toArray(ValueLayout.JAVA_BYTE);
        write(guest);
        guest.open.fingerprint(video, 0, pages, key, host, 0);
        MemorySegment was = MemorySegment.ofArray(before);
        for (int i = 0; i < pages; i++) {
          if (seen.segment().asSlice(i * 16L, 16).mismatch(was.asSlice(i * 16L, 16)) >= 0) {
            found.add(i);
          }
        }
      }
    }
    assertThat(found).containsExactly(7, 100, 101, pages - 1);
  }

  private static void write(TestGuest guest) {
    guest.copy(dataAt(64), VIDEO + 7 * 4096L + 16, 8);
    guest.copy(dataAt(64), VIDEO + 101 * 4096L - 4, 8);
    guest.copy(dataAt(64), VIDEO + VIDEO_BYTES - 4096, 4096);
  }

  // ---- work ----

  @Test
  final void acquire_waitsForAReleaseOfTheProcessor() {
    TestGuest guest = guest("a").start();
    GpuVa word = new GpuVa(dataAt(0));
    GpuVa after = new GpuVa(dataAt(64));
    long waits = guest.queue.begin().acquire(word, 5).store(after, 9).submit();
    assertThat(guest.queue.isDone(waits)).isFalse();
    assertThat(guest.data().get(ValueLayout.JAVA_INT, 64)).isZero();
    guest.data().set(ValueLayout.JAVA_INT, 0, 5);
    guest.await(waits);
    assertThat(guest.data().get(ValueLayout.JAVA_INT, 64)).isEqualTo(9);
  }

  /** What a guest is told. */
  private static final class Told implements EventSink {
    final List<Integer> interrupts = new ArrayList<>();
    final List<ChannelError> errors = new ArrayList<>();

    @Override
    public void interrupt(int channelId, long timeNs) {
      interrupts.add(channelId);
    }

    @Override
    public void error(ChannelError error) {
      errors.add(error);
    }
  }

  private void tell(TestGuest guest, Told told) {
    int ready =
        kernel.poll(List.of(guest.open.events()), new short[] {Kernel.POLLIN}, new short[1], 100);
    if (ready > 0) {
      int _ = guest.open.readEvents(told);
    }
  }

  @Test
  final void interrupt_isToldOfItsChannel() {
    require(Capability.CHANNEL_EVENTS);
    TestGuest guest = guest("a").start();
    Told told = new Told();
    for (int i = 1; i <= 3; i++) {
      told.interrupts.clear();
      guest.await(guest.queue.begin().interrupt().submit());
      assertThat(
              eventually(() -> {
                tell(guest, told);
                return !told.interrupts.isEmpty();
              }))
          .isTrue();
      assertThat(told.interrupts).contains(guest.channel.id());
      assertThat(told.errors).isEmpty();
    }
  }

  @Test
  final void fault_ofOneGuest_endsItsChannelAlone() {
    TestGuest bad = guest("bad").start();
    TestGuest good = guest("good").start();
    bad.videoAt(VIDEO, VIDEO_BYTES);
    good.videoAt(VIDEO, VIDEO_BYTES);
    fill(good.data(), VIDEO_BYTES, 4);
    long never = bad.queue.begin().copy(TestGuest.NOWHERE, VIDEO, 4096).submit();
    assertThat(eventually(() -> bad.channel.status().state() == ChannelState.DEAD)).isTrue();
    assertThat(bad.channel.status().cause().reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(bad.channel.status().cause().address()).isEqualTo(TestGuest.NOWHERE);
    assertThat(bad.queue.isDone(never)).isFalse();
    good.copy(dataAt(0), VIDEO, VIDEO_BYTES);
    good.copy(VIDEO, dataAt(VIDEO_BYTES), VIDEO_BYTES);
    assertThat(wrong(good.data().asSlice(VIDEO_BYTES), VIDEO_BYTES, 4)).isZero();
    assertThat(good.channel.status().state()).isEqualTo(ChannelState.RUNNING);
  }

  @Test
  final void acquire_thatNobodyReleases_keepsNobodyElseWaitingAndCanBeKilled() {
    require(Capability.KILL);
    TestGuest stuck = guest("stuck").start();
    TestGuest other = guest("other").start();
    other.videoAt(VIDEO, VIDEO_BYTES);
    long never = stuck.queue.begin().acquire(new GpuVa(dataAt(0)), 1).submit();
    for (int i = 0; i < 50; i++) {
      other.copy(dataAt(0), VIDEO, 4096);
    }
    assertThat(stuck.queue.isDone(never)).isFalse();
    stuck.channel.kill(GuestAbi.ERROR_OPERATOR, 7);
    assertThat(stuck.channel.status().state()).isEqualTo(ChannelState.DEAD);
    assertThat(stuck.channel.status().cause().reason()).isEqualTo(GuestAbi.ERROR_OPERATOR);
    assertThat(stuck.channel.status().cause().info()).isEqualTo(7);
    stuck.data().set(ValueLayout.JAVA_INT, 0, 1);
    other.copy(dataAt(0), VIDEO, 4096);
    assertThat(stuck.queue.isDone(never)).as("what was killed stays so").isFalse();
  }

  @Test
  final void region_thatIsClosed_endsTheChannelsThatReachIt() {
    require(Capability.GUEST_MEMORY);
    TestGuest guest = guest("a").start();
    TestGuest other = guest("other").start();
    guest.await(guest.queue.begin().submit());
    guest.closeRegion();
    assertThat(guest.channel.status().state()).isEqualTo(ChannelState.DEAD);
    assertThat(guest.channel.status().cause().reason()).isEqualTo(GuestAbi.ERROR_REVOKED);
    other.await(other.queue.begin().submit());
  }

  // ---- taking access back ----

  @Test
  final void suspend_holdsWhatIsSubmittedUntilResume() {
    require(Capability.SUSPEND);
    TestGuest guest = guest("a").start();
    guest.await(guest.queue.begin().submit());
    guest.channel.suspend();
    long held = guest.queue.begin().store(new GpuVa(dataAt(0)), 3).submit();
    TestGuest other = guest("other").start();
    other.await(other.queue.begin().submit());
    assertThat(guest.queue.isDone(held)).isFalse();
    guest.channel.resume();
    guest.await(held);
    assertThat(guest.data().get(ValueLayout.JAVA_INT, 0)).isEqualTo(3);
  }

  @Test
  final void detach_drainsAndAttachGoesOn() {
    require(Capability.DETACH);
    TestGuest guest = guest("a").start();
    int value = 0;
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 100; i++) {
        long _ = guest.queue.begin().store(new GpuVa(dataAt(0)), ++value).submit();
      }
      guest.channel.detach();
      assertThat(eventually(() -> guest.hasDrained(gpu))).isTrue();
      int ran = guest.data().get(ValueLayout.JAVA_INT, 0);
      long shadow = 0;
      for (int i = 0; i < 50; i++) {
        shadow = guest.queue.begin().store(new GpuVa(dataAt(0)), ++value).submit();
      }
      assertThat(guest.data().get(ValueLayout.JAVA_INT, 0)).as("behind the shadow").isEqualTo(ran);
      guest.channel.attach();
      guest.await(shadow);
      assertThat(guest.data().get(ValueLayout.JAVA_INT, 0)).isEqualTo(value);
    }
  }

  @Test
  final void state_ofADrainedChannel_goesOnInAnotherOpen() throws Exception {
    require(Capability.DETACH, Capability.STATE_SAVE);
    try (Fd ram = kernel.memfdCreate("ram", TestGuest.RAM_BYTES);
        Mapping memory =
            kernel.mmap(ram, 0, TestGuest.RAM_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      TestGuest here =
          new TestGuest(gpu.open("here"), ram, (_, at) -> queue(memory.segment(), at)).start();
      TestQueue queue = here.queue;
      int value = 0;
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
          here.await(queue.begin().store(new GpuVa(dataAt(0)), ++value).submit());
        }
        here.channel.detach();
        TestGuest from = here;
        assertThat(eventually(() -> from.hasDrained(gpu))).isTrue();
        byte[] state = here.channel.saveState();
        TestGuest there = new TestGuest(gpu.open("there"), ram, (_, _) -> queue);
        there.channel.restoreState(state);
        there.channel.resume();
        queue.moveTo(there.control(), there.doorbell());
        here.close();
        here = there;
        TestGuest now = there;
        long last = queue.begin().store(new GpuVa(dataAt(0)), ++value).submit();
        now.await(last);
        assertThat(now.data().get(ValueLayout.JAVA_INT, 0)).isEqualTo(value);
      }
      here.close();
    }
  }
}
