package io.sluice.testbed.conformance.nvidia;

import static io.sluice.testbed.conformance.rig.NvidiaRig.COMPUTE_CLASS;
import static io.sluice.testbed.conformance.rig.NvidiaRig.COPY_CLASS;
import static io.sluice.testbed.conformance.rig.NvidiaRig.TIMEOUT_NS;
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
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.conformance.rig.OtherProcess;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A Hopper GPU behind NVIDIA's driver: bounded work and plain allocations only. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NvidiaGpuTest {
  private static final long SYSTEM = 0x2000_0000L;
  private static final long VIDEO = 0x20_0000_0000L;
  private static final long BACK = 0x6000_0000L;
  private static final long NOT_MAPPED = 0x70_0000_0000L;
  private static final int MIB = 1 << 20;

  private NvidiaGpu gpu;

  @BeforeAll
  void open() {
    gpu = NvidiaRig.open();
    System.out.printf(
        "GPU %s driver %s vram=%d MiB capabilities=%s%n",
        gpu.cards(), gpu.driverVersion(), gpu.info().vramBytes() / MIB, gpu.capabilities());
  }

  @AfterAll
  void close() {
    if (gpu != null) {
      gpu.close();
    }
  }

  private static void fillRandom(MemorySegment memory, long seed) {
    Random random = new Random(seed);
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  // ---- refusals ----

  @Test
  void start_ringOfTooManyEntries_isRefusedAndLeavesOthersAlone() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS);
        Channel channel = guest.space.createChannel(OptionalInt.empty())) {
      assertThat(channel.doorbellToken()).isZero();
      assertThatThrownBy(() -> channel.start(new GpuVa(NOT_MAPPED), 30, 1))
          .isInstanceOf(RefusedException.class);
      assertThat(guest.run(new HopperCommands())).isTrue();
    }
  }

  @Test
  void map_occupiedAddress_isNoMemory() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
      GpuMemory first = guest.allocate(true, 4096);
      GpuMemory second = guest.allocate(true, 4096);
      guest.mapAt(first, SYSTEM);
      assertThatThrownBy(() -> guest.mapAt(second, SYSTEM))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
      guest.space.unmap(new GpuVa(SYSTEM));
      guest.mapAt(second, SYSTEM);
    }
  }

  @Test
  void declareObject_fermiClass_isNoDevice() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
      assertThatThrownBy(() -> guest.queue.channel().declareObject(1, 0x90c0, 0))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }
  }

  // ---- submission and copies ----

  @Test
  void submit_thousandReleasesOnEachEngine_allHappenInOrder() throws Exception {
    for (int engine : new int[] {COPY_CLASS, COMPUTE_CLASS}) {
      try (var guest = new NvidiaRig.Guest(gpu, "a", engine)) {
        for (int i = 0; i < 1000; i++) {
          assertThat(guest.run(new HopperCommands())).as("release %d", i).isTrue();
        }
        Channel.Status status = guest.queue.channel().status();
        assertThat(status.progress().gpGet())
            .isEqualTo(status.progress().gpPut())
            .isEqualTo(1000 % HopperRing.ENTRIES);
        assertThat(status.state()).isEqualTo(ChannelState.RUNNING);
        assertThat(status.progress().drained()).isTrue();
      }
    }
  }

  @Test
  void copy_hostToVideoMemoryAndBack_carriesTheBytes() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("sluice.seed=" + seed);
    for (int engine : new int[] {COPY_CLASS, COMPUTE_CLASS}) {
      for (long bytes : new long[] {4096, 64 << 10, MIB, 64 * MIB}) {
        try (var guest = new NvidiaRig.Guest(gpu, "a", engine)) {
          GpuMemory source = guest.allocate(true, bytes);
          GpuMemory video = guest.allocate(false, bytes);
          GpuMemory target = guest.allocate(true, bytes);
          guest.mapAt(source, SYSTEM);
          guest.mapAt(video, VIDEO);
          guest.mapAt(target, BACK);
          MemorySegment from = guest.cpu(source);
          MemorySegment to = guest.cpu(target);
          fillRandom(from, seed);
          guest.copy(SYSTEM, VIDEO, bytes);
          guest.copy(VIDEO, BACK, bytes);
          assertThat(from.mismatch(to)).as("bytes=%d engine=%x", bytes, engine).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void map_videoMemoryAtAnyPage_works() throws Exception {
    for (long bytes : new long[] {64 << 10, 4 * MIB}) {
      try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
        GpuMemory source = guest.allocate(true, 4096);
        GpuMemory video = guest.allocate(false, bytes);
        GpuMemory target = guest.allocate(true, 4096);
        long last = VIDEO + 0x3000 + bytes - 4096;
        guest.mapAt(source, SYSTEM);
        guest.mapAt(video, VIDEO + 0x3000);
        guest.mapAt(target, BACK);
        guest.cpu(source).fill((byte) 0x5a);
        guest.copy(SYSTEM, last, 4096);
        guest.copy(last, BACK, 4096);
        assertThat(guest.cpu(target).mismatch(guest.cpu(source))).isEqualTo(-1);
      }
    }
  }

  /** RM's mapping of it outlives the buffer, and shows who has the memory then. */
  @Test
  void share_ofVideoMemory_isRefused() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
      GpuMemory video = guest.allocate(false, 4096);
      assertThatThrownBy(video::share)
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }
  }

  // ---- isolation ----

  @Test
  void twoGuests_withTheSameAddresses_seeTheirOwnMemory() throws Exception {
    try (var a = new NvidiaRig.Guest(gpu, "a", COPY_CLASS);
        var b = new NvidiaRig.Guest(gpu, "b", COPY_CLASS)) {
      byte value = 0x11;
      for (var guest : List.of(a, b)) {
        GpuMemory source = guest.allocate(true, 4096);
        guest.mapAt(source, SYSTEM);
        guest.mapAt(guest.allocate(false, 4 * MIB), VIDEO);
        guest.mapAt(guest.allocate(true, 4096), BACK);
        guest.cpu(source).fill(value);
        guest.copy(SYSTEM, VIDEO, 4096);
        value += 0x11;
      }
      // Only now is either read: the later write must not have reached the earlier guest.
      value = 0x11;
      for (var guest : List.of(a, b)) {
        GpuMemory target = guest.allocate(true, 4096);
        guest.space.unmap(new GpuVa(BACK));
        guest.mapAt(target, BACK);
        guest.copy(VIDEO, BACK, 4096);
        assertThat(guest.cpu(target).get(ValueLayout.JAVA_BYTE, 4095)).isEqualTo(value);
        value += 0x11;
      }
    }
  }

  @Test
  void freshVideoMemory_afterAnotherGuestsPattern_holdsNothingOfIt() throws Exception {
    long bytes = 256L * MIB;
    try (var writer = new NvidiaRig.Guest(gpu, "writer", COPY_CLASS)) {
      GpuMemory source = writer.allocate(true, bytes);
      writer.mapAt(source, SYSTEM);
      writer.mapAt(writer.allocate(false, bytes), VIDEO);
      writer.cpu(source).fill((byte) 0xd5);
      writer.copy(SYSTEM, VIDEO, bytes);
    }
    try (var reader = new NvidiaRig.Guest(gpu, "reader", COPY_CLASS)) {
      GpuMemory target = reader.allocate(true, bytes);
      reader.mapAt(target, BACK);
      reader.mapAt(reader.allocate(false, bytes), VIDEO);
      MemorySegment found = reader.cpu(target);
      found.fill((byte) 1);
      reader.copy(VIDEO, BACK, bytes);
      long notZero = 0;
      for (long at = 0; at < bytes; at += Long.BYTES) {
        notZero += found.get(ValueLayout.JAVA_LONG, at) == 0 ? 0 : 1;
      }
      assertThat(notZero).isZero();
    }
  }

  @Test
  void readOfUnmappedAddress_endsThatChannelOnly() throws Exception {
    try (var victim = new NvidiaRig.Guest(gpu, "faulty", COPY_CLASS);
        var other = new NvidiaRig.Guest(gpu, "other", COPY_CLASS)) {
      victim.mapAt(victim.allocate(true, 4096), SYSTEM);
      HopperCommands bad =
          new HopperCommands().bindCopy().copy(new GpuVa(NOT_MAPPED), new GpuVa(SYSTEM), 4096);
      long done = victim.queue.ring().submitWithRelease(bad);
      Channel.Status status = victim.queue.channel().status();
      long until = System.nanoTime() + TIMEOUT_NS;
      while (status.state() != ChannelState.DEAD && System.nanoTime() < until) {
        assertThat(other.run(new HopperCommands())).isTrue();
        status = victim.queue.channel().status();
      }
      assertThat(status.state()).isEqualTo(ChannelState.DEAD);
      assertThat(status.cause().reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
      assertThat(status.cause().address()).isEqualTo(NOT_MAPPED);
      System.out.printf(
          "fault: info=0x%x address=0x%x%n", status.cause().info(), status.cause().address());
      assertThat(victim.queue.ring().hasReleased(done)).isFalse();
      assertThat(other.run(new HopperCommands())).isTrue();
    }
  }

  @Test
  void interruptMethod_ofEachEngine_wakesTheEventDescriptor() throws Exception {
    for (int engine : new int[] {COPY_CLASS, COMPUTE_CLASS}) {
      try (var guest = new NvidiaRig.Guest(gpu, "a", engine);
          Channel idle = guest.space.createChannel(OptionalInt.empty())) {
        assertThat(guest.run(new HopperCommands())).isTrue();
        for (int i = 0; i < 200; i++) {
          long done = guest.queue.ring().submitWithRelease(new HopperCommands());
          guest.queue.ring().submit(new HopperCommands().interrupt());
          assertThat(guest.waitForEvent()).as("event %d", i).isTrue();
          Events events = new Events();
          assertThat(guest.gpu.readEvents(events)).isEqualTo(1);
          assertThat(events.interrupts).containsExactly(guest.queue.channel().id());
          assertThat(guest.queue.ring().hasReleased(done)).isTrue();
        }
        assertThat(idle.status().state()).isEqualTo(ChannelState.NEW);
      }
    }
  }

  @Test
  void fault_wakesTheEventDescriptorOfItsGuest_withTheChannel() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "faulty", COPY_CLASS)) {
      guest.mapAt(guest.allocate(true, 4096), SYSTEM);
      Events events = new Events();
      long _ =
          guest
              .queue
              .ring()
              .submitWithRelease(
                  new HopperCommands()
                      .bindCopy()
                      .copy(new GpuVa(NOT_MAPPED), new GpuVa(SYSTEM), 4096));
      long until = System.nanoTime() + TIMEOUT_NS;
      while (events.errors.isEmpty() && System.nanoTime() < until) {
        assertThat(guest.waitForEvent()).isTrue();
        int _ = guest.gpu.readEvents(events);
      }
      assertThat(events.errors)
          .singleElement()
          .satisfies(error -> {
            assertThat(error.channelId()).isEqualTo(guest.queue.channel().id());
            assertThat(error.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
            assertThat(error.address()).isEqualTo(NOT_MAPPED);
          });
    }
  }

  /** What was delivered. */
  private static final class Events implements EventSink {
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

  @Test
  void anotherProcess_withMappingsOnly_submitsByItself() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
      List<String> said = OtherProcess.submitFrom(guest, 3000);
      System.out.println(said);
      assertThat(said).contains("released 3000 of 3000");
      assertThat(guest.queue.channel().status().progress().gpGet())
          .isEqualTo(3000 % HopperRing.ENTRIES);
    }
  }

  // ---- taking access back ----

  @Test
  void suspendedChannel_takesNothingUntilResumed() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS)) {
      assertThat(guest.run(new HopperCommands())).isTrue();
      guest.queue.channel().suspend();
      long done = guest.queue.ring().submitWithRelease(new HopperCommands());
      assertThat(guest.queue.ring().await(done, System::nanoTime, 50_000_000)).isFalse();
      assertThat(guest.queue.channel().status().state()).isEqualTo(ChannelState.SUSPENDED);
      guest.queue.channel().resume();
      assertThat(guest.queue.ring().await(done, System::nanoTime, TIMEOUT_NS)).isTrue();
    }
  }

  @Test
  void kill_ofChannelThatWaitsForever_endsItAndNobodyElse() throws Exception {
    try (var stuck = new NvidiaRig.Guest(gpu, "stuck", COPY_CLASS);
        var other = new NvidiaRig.Guest(gpu, "other", COPY_CLASS)) {
      stuck.mapAt(stuck.allocate(true, 4096), SYSTEM);
      long done =
          stuck.queue.ring().submitWithRelease(new HopperCommands().acquire(new GpuVa(SYSTEM), 77));
      assertThat(stuck.queue.ring().await(done, System::nanoTime, 20_000_000)).isFalse();
      assertThat(other.run(new HopperCommands())).isTrue();
      long start = System.nanoTime();
      stuck.queue.channel().kill(GuestAbi.ERROR_OPERATOR, 5);
      System.out.printf("kill: %d us%n", (System.nanoTime() - start) / 1000);
      assertThat(stuck.queue.channel().status())
          .extracting(Channel.Status::state, Channel.Status::cause)
          .containsExactly(
              ChannelState.DEAD, new Channel.Status.Cause(GuestAbi.ERROR_OPERATOR, 5, 0));
      assertThat(other.run(new HopperCommands())).isTrue();
    }
  }

  @Test
  void setWeight_ofARunningChannel_isTaken() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COMPUTE_CLASS)) {
      for (int weight : new int[] {1, 16, 1024}) {
        guest.queue.channel().setWeight(weight);
        assertThat(guest.run(new HopperCommands())).isTrue();
      }
    }
  }

  @Test
  void registeredGuestMemory_isReadInPlace_andRevokedWithItsRegion() throws Exception {
    try (var guest = new NvidiaRig.Guest(gpu, "a", COPY_CLASS);
        Fd ram = guest.kernel.memfdCreate("guest-ram", MIB);
        Mapping mapped = guest.kernel.mmap(ram, 0, MIB, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      RegisteredMemory region = guest.gpu.addRegion(ram, 0, MIB, true);
      try (GpuMemory buffer =
          guest.gpu.register(
              new MemoryRequest(PscnvGem.SYSRAM_SNOOP, 0, 0, 8192, OptionalLong.empty()))) {
        // Two pages, the wrong way round.
        buffer.setPages(
            0,
            List.of(
                new RegionExtent(region, 0x5000, 4096), new RegionExtent(region, 0x1000, 4096)));
        guest.mapAt(buffer, SYSTEM);
        GpuMemory target = guest.allocate(true, 8192);
        guest.mapAt(target, BACK);
        mapped.segment().set(ValueLayout.JAVA_LONG, 0x5008, 51);
        mapped.segment().set(ValueLayout.JAVA_LONG, 0x1008, 15);
        guest.copy(SYSTEM, BACK, 8192);
        assertThat(guest.cpu(target).get(ValueLayout.JAVA_LONG, 8)).isEqualTo(51);
        assertThat(guest.cpu(target).get(ValueLayout.JAVA_LONG, 4096 + 8)).isEqualTo(15);
        region.close();
        assertThat(guest.queue.channel().status().cause().reason())
            .isEqualTo(GuestAbi.ERROR_REVOKED);
        guest.space.unmap(new GpuVa(SYSTEM));
      }
    }
  }

  // ---- end ----

  @Test
  void close_ofAGuest_givesEverythingBack() throws Exception {
    // The first guest makes the driver allocate what it then keeps.
    try (var warm = new NvidiaRig.Guest(gpu, "warm", COMPUTE_CLASS)) {
      assertThat(warm.run(new HopperCommands())).isTrue();
    }
    long fds = openFds();
    long free;
    try (var probe = gpu.open("probe")) {
      free = probe.usage().vramFreeBytes();
    }
    try (var guest = new NvidiaRig.Guest(gpu, "a", COMPUTE_CLASS)) {
      guest.mapAt(guest.allocate(false, 1024L * MIB), VIDEO);
      assertThat(guest.run(new HopperCommands())).isTrue();
      assertThat(guest.gpu.usage().vramBytes()).isEqualTo(1024L * MIB);
      assertThat(guest.gpu.usage().vramFreeBytes()).isLessThanOrEqualTo(free - 1024L * MIB);
    }
    assertThat(openFds()).isEqualTo(fds);
    try (var probe = gpu.open("probe")) {
      assertThat(probe.usage().vramFreeBytes()).isEqualTo(free);
    }
  }

  private static long openFds() throws IOException {
    try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
      return fds.count();
    }
  }
}
