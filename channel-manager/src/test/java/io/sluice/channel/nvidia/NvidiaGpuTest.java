package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The backend on an RM without a GPU. */
final class NvidiaGpuTest {
  private static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  private static final GpuVa START = new GpuVa(0x2000_0000L);
  private static final GpuVa END = new GpuVa(1L << 40);
  private static final int COPY = 0xc8b5;
  private static final int COMPUTE = 0xcbc0;

  private final Kernel kernel = RealKernel.create();
  private final FakeRm rm = new FakeRm(kernel);

  private NvidiaGpu open() {
    return new NvidiaGpu("test", "", kernel, new Random(1), rm);
  }

  private static MemoryRequest request(int flags, long bytes) {
    return new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty());
  }

  private static void assertErrno(Runnable refused, Errno errno, String code) {
    assertThatThrownBy(refused::run)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> {
              assertThat(e.errno()).isEqualTo(errno);
              assertThat(e.code()).isEqualTo(code);
            });
  }

  // ---- refusals ----

  @Test
  void open_driverOfUnknownVersion_isRefusedBeforeAnythingIsAsked() {
    rm.version = "610.10";
    assertErrno(this::open, Errno.EOPNOTSUPP, "SLU-RM-001");
    assertThat(rm.calls()).isEqualTo(1);
    assertThat(rm.objectCounts()).isEmpty();
  }

  @Test
  void open_cardThatIsNotThere_isRefusedWithThoseThatAre() {
    assertThatThrownBy(() -> new NvidiaGpu("x", "0000:01:00.0", kernel, new Random(1), rm))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("cards=[0000:65:00.0]");
  }

  @ParameterizedTest
  @ValueSource(ints = {0xc86f, 0xcbc0, 0xc8b5, 0xc661})
  void open_gpuWithoutAClassOfHopper_isRefused(int missing) {
    rm.missingClass = missing;
    assertErrno(this::open, Errno.ENODEV, "SLU-RM-005");
    assertThat(rm.objectCounts()).isEmpty();
  }

  @Test
  void everyCall_refusedByRm_leavesNothingBehind() {
    rm.refuseCall = Integer.MAX_VALUE;
    work();
    int calls = rm.calls();
    int refused = 0;
    for (int call = 1; call <= calls; call++) {
      FakeRm failing = new FakeRm(kernel);
      failing.refuseCall = call;
      try {
        workOn(failing);
      } catch (RefusedException e) {
        refused++;
        assertThat(e.code()).isEqualTo("SLU-RM-004");
        assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
      }
      assertThat(failing.objectCounts()).as("call %d refused", call).isEmpty();
    }
    // All but frees, unmaps, tying descriptors, and disabling before a free.
    assertThat(refused).isGreaterThan(calls / 3);
  }

  private void work() {
    workOn(rm);
    assertThat(rm.objectCounts()).isEmpty();
  }

  private void workOn(FakeRm port) {
    try (NvidiaGpu gpu = new NvidiaGpu("test", "", kernel, new Random(1), port);
        GuestGpu guest = gpu.open("guest");
        Fd ram = kernel.memfdCreate("ram", 1 << 16);
        AddressSpace space = guest.createAddressSpace();
        GpuMemory video = guest.allocate(request(PscnvGem.VRAM_SMALL, 4 << 20));
        GpuMemory system = guest.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096));
        GpuMemory registered = guest.register(request(PscnvGem.SYSRAM_SNOOP, 8192))) {
      RegisteredMemory region = guest.addRegion(ram, 0, 1 << 16, true);
      registered.setPages(
          0, List.of(new RegionExtent(region, 0, 4096), new RegionExtent(region, 8192, 4096)));
      for (GpuMemory memory : List.of(video, system, registered)) {
        GpuVa _ = space.map(memory, START, END, false);
      }
      system.share().fd().close();
      Channel channel = space.createChannel(OptionalInt.empty());
      channel.start(RING, 8, 1);
      channel.setWeight(3);
      channel.suspend();
      channel.resume();
      region.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"detach", "attach", "saveState"})
  void takingBack_aChannelThatHasNotStarted_isBusy(String operation) {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.empty())) {
      assertThat(gpu.capabilities())
          .contains(Capability.DETACH, Capability.STATE_SAVE, Capability.EVICTION)
          .doesNotContain(Capability.VRAM_APERTURE, Capability.DIRTY_TRACKING);
      Runnable refused =
          switch (operation) {
            case "detach" -> channel::detach;
            case "attach" -> channel::attach;
            default -> channel::saveState;
          };
      assertErrno(refused, Errno.EBUSY, "SLU-RM-011");
      assertThat(guest.vramAperture()).isEmpty();
    }
  }

  @Test
  void map_rmRoundsTheAddress_isRefusedAndUndone() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        GpuMemory memory = guest.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096))) {
      rm.mapGranularity = 1 << 16;
      GpuVa odd = new GpuVa(0x2000_3000L);
      assertErrno(
          () -> space.map(memory, odd, new GpuVa(0x2000_4000L), false), Errno.EINVAL, "SLU-RM-008");
      assertThat(rm.mappings()).isZero();
    }
  }

  @Test
  void map_whereRmKeepsItsOwn_isNoRoom() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        GpuMemory memory = guest.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096))) {
      assertErrno(
          () -> space.map(memory, new GpuVa(0x1_0000_0000L), new GpuVa(0x2_0000_0000L), false),
          Errno.ENOMEM,
          "SLU-RM-007");
    }
  }

  @Test
  void detach_ofARingInVideoMemory_isRefusedAndTheChannelRunsOn() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        GpuMemory memory = guest.allocate(request(PscnvGem.VRAM_SMALL, 4096));
        Channel channel = space.createChannel(OptionalInt.empty())) {
      GpuVa at = space.map(memory, RING, new GpuVa(RING.value() + 4096), false);
      channel.start(at, 4, 1);
      assertErrno(channel::detach, Errno.EOPNOTSUPP, "SLU-RM-016");
      assertThat(channel.status().state()).isEqualTo(ChannelState.RUNNING);
    }
  }

  @Test
  void unmap_whereNothingIs_isNoEntry() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace()) {
      assertErrno(() -> space.unmap(START), Errno.ENOENT, "SLU-RM-009");
    }
  }

  // ---- clients and handles ----

  @Test
  void handles_ofAllObjects_areNoneThatRmWouldMake() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.empty())) {
      channel.start(RING, 4, 1);
      List<Integer> chosen =
          rm.handles().stream().filter(h -> h >>> 16 != FakeRm.FIRST_CLIENT >>> 16).toList();
      assertThat(chosen).doesNotHaveDuplicates().hasSizeGreaterThan(10);
      assertThat(chosen).noneMatch(h -> h == 0 || h >>> 20 == 0xcaf);
    }
  }

  @Test
  void start_ofAChannelThatOnlyCopies_takesTurnsOnCopyEngines() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace()) {
      for (int i = 0; i < 3; i++) {
        Channel channel = space.createChannel(OptionalInt.empty());
        channel.declareObject(1, COPY, 0);
        channel.start(RING, 4, 1);
        assertErrno(() -> channel.declareObject(2, COMPUTE, 0), Errno.EBUSY, "SLU-RM-011");
      }
      assertThat(rm.objectCounts()).doesNotContainKey(Integer.toHexString(COMPUTE));
    }
  }

  // ---- channels ----

  @Test
  void start_afterGpPutWasStored_putsItBackAndTellsTheToken() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.of(5))) {
      GuestGpu.SharedArea area = channel.controlPage();
      try (Fd fd = area.fd();
          Mapping page =
              kernel.mmap(fd, area.offset(), 4096, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
        page.segment().set(Layouts.U32, GuestAbi.USERD_GP_PUT, 7);
        assertThat(channel.doorbellToken()).isZero();
        channel.start(RING, 4, 1);
        assertThat(page.segment().get(Layouts.U32, GuestAbi.USERD_GP_PUT)).isEqualTo(7);
        assertThat(channel.doorbellToken()).isEqualTo(0x1_0004);
        assertThat(ControlWords.DOORBELL_TOKEN.bitsAcquire(page.segment(), GuestAbi.CONTROL_OFFSET))
            .isEqualTo(0x1_0004);
        assertThat(channel.status().progress().gpPut()).isEqualTo(7);
        assertThat(channel.status().progress().drained()).isFalse();
      }
      assertErrno(() -> channel.start(RING, 4, 1), Errno.EBUSY, "SLU-RM-011");
    }
  }

  @Test
  void suspend_beforeTheRing_disablesBeforeItIsScheduled() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.empty())) {
      channel.suspend();
      channel.setWeight(16);
      channel.start(RING, 4, 1);
      assertThat(channel.status().state()).isEqualTo(ChannelState.SUSPENDED);
      channel.resume();
      assertThat(rm.log).containsExactly("disable", "timeslice 1024", "enable");
    }
  }

  // ---- time ----

  /** The slices that were set since this was asked last. */
  private List<String> slices() {
    List<String> set = rm.log.stream().filter(line -> line.startsWith("timeslice")).toList();
    rm.log.clear();
    return set;
  }

  @Test
  void setTimeWeight_ofGuests_becomesTimeSlicesOfTheirChannelsTogether() {
    try (NvidiaGpu gpu = open();
        Guest light = new Guest("light", gpu, kernel, GuestListener.none());
        Guest heavy = new Guest("heavy", gpu, kernel, GuestListener.none())) {
      int _ = started(light);
      int _ = started(heavy);
      assertThat(slices()).as("nobody has a weight").isEmpty();

      light.setTimeWeight(1);
      heavy.setTimeWeight(3);
      assertThat(slices()).containsExactly("timeslice 1024", "timeslice 3072");
      int second = started(heavy);
      assertThat(slices()).containsExactly("timeslice 1536", "timeslice 1536");
      heavy.channels().free(second);
      assertThat(slices()).containsExactly("timeslice 3072");

      // A weight that would let the others wait too long: both are shorter.
      heavy.setTimeWeight(64);
      assertThat(slices()).containsExactly("timeslice 16384");
      long _ = gpu.poll(gpu.timeNs());
      assertThat(slices()).containsExactly("timeslice 256");
      heavy.setTimeWeight(1024);
      long _ = gpu.poll(gpu.timeNs());
      assertThat(slices()).as("none is shorter").containsExactly("timeslice 64");
      heavy.close();
      long _ = gpu.poll(gpu.timeNs());
      assertThat(slices()).as("alone").containsExactly("timeslice 1024");
    }
    assertThat(rm.objectCounts()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 1025, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void setTimeWeight_outOfRange_isRefused(int weight) {
    try (NvidiaGpu gpu = open();
        Guest guest = new Guest("guest", gpu, kernel, GuestListener.none());
        GuestGpu raw = gpu.open("raw")) {
      int _ = started(guest);
      assertThatThrownBy(() -> guest.setTimeWeight(weight)).isInstanceOf(RefusedException.class);
      assertThatThrownBy(() -> raw.setWeight(weight)).isInstanceOf(RefusedException.class);
      assertThat(slices()).isEmpty();
    }
  }

  private static int started(Guest guest) {
    int cid = guest.channels().create(guest.spaces().create());
    guest.channels().start(cid, RING, 4, 1);
    return cid;
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 31, 32, 43})
  void status_afterRmWroteAnError_saysWhichAndOnWhatEngine(int xid) {
    Map<Integer, Integer> reasons =
        Map.of(
            13, GuestAbi.ERROR_SM,
            31, GuestAbi.ERROR_PAGE_FAULT,
            32, GuestAbi.ERROR_ILLEGAL_METHOD,
            43, GuestAbi.ERROR_ENGINE);
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.empty())) {
      channel.start(RING, 4, 1);
      rm.faultAddress = 0x12_3456_7000L;
      rm.failChannel(xid, 11);
      assertThat(channel.status().state()).isEqualTo(ChannelState.DEAD);
      assertThat(channel.status().cause().reason()).isEqualTo(reasons.get(xid));
      assertThat(channel.status().cause().info()).isEqualTo(11 << 16 | xid);
      assertThat(channel.status().cause().address()).isEqualTo(xid == 31 ? rm.faultAddress : 0);
      channel.kill(GuestAbi.ERROR_OPERATOR, 1);
      assertThat(channel.status().cause().reason()).isEqualTo(reasons.get(xid));
    }
  }

  @Test
  void readEvents_afterAnError_tellsItOnceAndInterruptsTheOthers() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel fails = space.createChannel(OptionalInt.of(3));
        Channel runs = space.createChannel(OptionalInt.of(4));
        Channel idle = space.createChannel(OptionalInt.of(5))) {
      for (Channel channel : List.of(fails, runs, idle)) {
        channel.start(RING, 4, 1);
      }
      try (Mapping pages =
          kernel.mmap(
              guest.controlPages().orElseThrow().fd(),
              0,
              128 * 4096,
              Kernel.PROT_READ | Kernel.PROT_WRITE)) {
        pages.segment().set(Layouts.U32, 4 * 4096 + GuestAbi.USERD_GP_PUT, 1);
        pages.segment().set(Layouts.U32, 3 * 4096 + GuestAbi.USERD_GP_PUT, 1);
      }
      rm.faultAddress = 0x12_3456_7000L;
      rm.failChannel(31, 11);
      List<Integer> interrupts = new ArrayList<>();
      List<ChannelError> errors = new ArrayList<>();
      EventSink sink =
          new EventSink() {
            @Override
            public void interrupt(int channelId, long timeNs) {
              interrupts.add(channelId);
            }

            @Override
            public void error(ChannelError error) {
              errors.add(error);
            }
          };
      assertThat(guest.readEvents(sink)).isEqualTo(2);
      assertThat(guest.readEvents(sink)).isEqualTo(1);
      assertThat(interrupts).containsExactly(4, 4);
      assertThat(errors).extracting(ChannelError::channelId).containsExactly(3);
      assertThat(errors)
          .extracting(ChannelError::reason)
          .containsExactly(GuestAbi.ERROR_PAGE_FAULT);
      assertThat(errors).extracting(ChannelError::address).containsExactly(rm.faultAddress);
    }
  }

  @Test
  void kill_ofARunningChannel_disablesThenFrees() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        AddressSpace space = guest.createAddressSpace();
        Channel channel = space.createChannel(OptionalInt.empty())) {
      channel.start(RING, 4, 1);
      channel.kill(GuestAbi.ERROR_OPERATOR, 9);
      assertThat(rm.log).containsExactly("disable");
      assertThat(rm.objectCounts()).doesNotContainKey("c86f");
      assertThat(channel.status().cause().info()).isEqualTo(9);
    }
  }

  @Test
  void closeOfARegion_endsChannelsOfSpacesThatMapIt_andNoOthers() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a");
        Fd ram = kernel.memfdCreate("ram", 1 << 16);
        AddressSpace space = guest.createAddressSpace();
        AddressSpace other = guest.createAddressSpace();
        GpuMemory buffer = guest.register(request(PscnvGem.SYSRAM_SNOOP, 4096));
        Channel uses = space.createChannel(OptionalInt.empty());
        Channel lives = other.createChannel(OptionalInt.empty())) {
      uses.start(RING, 4, 1);
      lives.start(RING, 4, 1);
      RegisteredMemory region = guest.addRegion(ram, 0, 1 << 16, true);
      buffer.setPages(0, List.of(new RegionExtent(region, 4096, 4096)));
      GpuVa at = space.map(buffer, START, END, true);
      region.close();
      assertThat(rm.mappings()).isZero();
      assertThat(uses.status().cause().reason()).isEqualTo(GuestAbi.ERROR_REVOKED);
      assertThat(lives.status().state()).isEqualTo(ChannelState.RUNNING);
      space.unmap(at);
    }
  }

  @Test
  void close_ofBufferAndSpaceInUse_waitsForTheLastUser() {
    try (NvidiaGpu gpu = open();
        GuestGpu guest = gpu.open("a")) {
      AddressSpace space = guest.createAddressSpace();
      GpuMemory memory = guest.allocate(request(PscnvGem.VRAM_SMALL, 4096));
      GpuVa _ = space.map(memory, START, END, false);
      Channel channel = space.createChannel(OptionalInt.empty());
      memory.close();
      space.close();
      assertThat(rm.objectCounts()).containsKeys("40", "90f1");
      assertThat(guest.usage().vramBytes()).isEqualTo(4096);
      channel.close();
      assertThat(rm.objectCounts()).doesNotContainKeys("40", "90f1");
      assertThat(guest.usage().vramBytes()).isZero();
    }
  }
}
