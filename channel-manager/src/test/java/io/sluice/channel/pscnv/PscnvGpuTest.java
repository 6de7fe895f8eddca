package io.sluice.channel.pscnv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The backend on a real pscnv, which has no extensions and has its bugs. */
final class PscnvGpuTest {
  private static final GpuVa LOW = new GpuVa(0x2000_0000L);
  private static final GpuVa HIGH = new GpuVa(1L << 40);

  private final FakeKernel kernel = new FakeKernel();
  private final List<FaultyPscnv> opens = new ArrayList<>();
  private final PscnvGpu gpu = new PscnvGpu("card0", kernel, this::open);

  private FaultyPscnv open() {
    FaultyPscnv device = new FaultyPscnv(kernel);
    opens.add(device);
    return device;
  }

  private FaultyPscnv guestDevice() {
    return opens.getLast();
  }

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(opens).allMatch(device -> device.closed);
    assertThat(kernel.openFds()).isEmpty();
    assertThat(kernel.mappings()).isZero();
    assertThat(opens).allMatch(device -> device.leakedReferences == 0);
  }

  private static void assertRefused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
  }

  private static GpuMemory buffer(GuestGpu guest, int flags, long bytes) {
    return guest.allocate(new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty()));
  }

  @Test
  void constructor_noFermi_isEnodevAndClosesTheDevice() {
    for (long chipset : new long[] {0x50, 0xa0, 0xe4, 0}) {
      assertRefused(
          Errno.ENODEV,
          () ->
              new PscnvGpu(
                  "old",
                  kernel,
                  () -> {
                    FaultyPscnv device = open();
                    device.parameters.put(11, chipset);
                    return device;
                  }));
    }
  }

  @Test
  void constructor_driverThatKnowsNoChipset_isEnodev() {
    assertRefused(
        Errno.ENODEV,
        () ->
            new PscnvGpu(
                "other",
                kernel,
                () -> {
                  FaultyPscnv device = open();
                  device.parameters.remove(11);
                  return device;
                }));
  }

  @Test
  void capabilities_realPscnv_areNone() {
    assertThat(gpu.capabilities()).isEmpty();
    PscnvGpu older =
        new PscnvGpu(
            "older",
            kernel,
            () -> {
              FaultyPscnv device = open();
              device.unknownCommand = Errno.EINVAL;
              return device;
            });
    assertThat(older.capabilities()).isEmpty();
    older.close();
  }

  @Test
  void info_gdevsPscnv_leavesOutWhatItDoesNotKnow() {
    assertThat(gpu.info().model()).isEqualTo("gf100");
    assertThat(gpu.info().gpcCount()).isZero();
    assertThat(gpu.info().tpCounts()).isEmpty();
    assertThat(gpu.info().mpCount()).isEqualTo(15);
    assertThat(gpu.info().maxChannels()).isEqualTo(127);
    assertThat(gpu.timeNs()).isEqualTo(42);
  }

  @Test
  void unmap_nothingThere_isEnoentAndNeverReachesTheDriver() {
    try (GuestGpu guest = gpu.open("g")) {
      AddressSpace space = guest.createAddressSpace();
      assertRefused(Errno.ENOENT, () -> space.unmap(LOW));
      GpuVa at = space.map(buffer(guest, 0, 8192), LOW, HIGH, false);
      assertRefused(Errno.ENOENT, () -> space.unmap(new GpuVa(at.value() + 8192)));
      assertRefused(Errno.ENOENT, () -> space.unmap(new GpuVa(at.value() - 1)));
      space.unmap(new GpuVa(at.value() + 8191));
      assertRefused(Errno.ENOENT, () -> space.unmap(at));
    }
  }

  @Test
  void map_noRoom_isEnomemAndNeverReachesTheDriver() {
    try (GuestGpu guest = gpu.open("g")) {
      AddressSpace space = guest.createAddressSpace();
      GpuMemory one = buffer(guest, 0, 4096);
      GpuMemory two = buffer(guest, 0, 8192);
      GpuVa end = new GpuVa(LOW.value() + 12288);
      space.map(one, new GpuVa(LOW.value() + 4096), end, false);
      assertRefused(Errno.ENOMEM, () -> space.map(two, LOW, end, false));
      space.map(one, LOW, end, false);
      space.map(one, LOW, end, false);
      assertRefused(Errno.ENOMEM, () -> space.map(one, LOW, end, true));
      assertThat(guestDevice().spaces.values().iterator().next()).hasSize(3);
    }
  }

  @Test
  void close_channelWhosePageWasLookedAt_unmapsItFirst() {
    try (GuestGpu guest = gpu.open("g")) {
      AddressSpace space = guest.createAddressSpace();
      Channel channel = space.createChannel(OptionalInt.empty());
      assertThat(channel.status().state()).isEqualTo(ChannelState.NEW);
      channel.start(LOW, 9, 1);
      assertThat(channel.status().state()).isEqualTo(ChannelState.RUNNING);
      assertThat(kernel.mappings()).isEqualTo(1);
      channel.close();
      assertThat(kernel.mappings()).isZero();
    }
  }

  @Test
  void status_runningChannel_tellsThePagesPointers() {
    try (GuestGpu guest = gpu.open("g")) {
      Channel channel = guest.createAddressSpace().createChannel(OptionalInt.empty());
      channel.start(LOW, 9, 1);
      GuestGpu.SharedArea area = channel.controlPage();
      try (Mapping page =
          kernel.mmap(area.fd(), area.offset(), 4096, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
        page.segment().set(ValueLayout.JAVA_INT, 0x8c, 3);
        assertThat(channel.status().progress().gpPut()).isEqualTo(3);
        assertThat(channel.status().progress().drained()).isFalse();
        page.segment().set(ValueLayout.JAVA_INT, 0x88, 3);
        assertThat(channel.status().progress().drained()).isTrue();
      }
      area.fd().close();
      channel.close();
    }
  }

  @Test
  void createChannel_idsOfTheCard_areNotTheGuests() {
    try (GuestGpu guest = gpu.open("g")) {
      AddressSpace space = guest.createAddressSpace();
      Channel first = space.createChannel(OptionalInt.empty());
      Channel second = space.createChannel(OptionalInt.empty());
      assertThat(List.of(first.id(), second.id())).containsExactly(1, 2);
      first.close();
      assertThat(space.createChannel(OptionalInt.empty()).id()).isEqualTo(1);
      assertThat(space.createChannel(OptionalInt.of(9)).id()).isEqualTo(9);
    }
  }

  @Test
  void share_buffer_usesTheComputedHandle() {
    try (GuestGpu guest = gpu.open("g")) {
      GpuMemory memory = buffer(guest, 4, 5000);
      assertThat(memory.sizeBytes()).isEqualTo(8192);
      assertThat(memory.apertureOffset()).isEmpty();
      GuestGpu.SharedArea area = memory.share();
      assertThat(area.sizeBytes()).isEqualTo(8192);
      area.fd().close();
    }
  }

  @Test
  void extensionCalls_realPscnv_areRefused() {
    try (GuestGpu guest = gpu.open("g")) {
      Channel channel = guest.createAddressSpace().createChannel(OptionalInt.empty());
      assertRefused(Errno.EOPNOTSUPP, channel::suspend);
      assertRefused(Errno.EOPNOTSUPP, channel::resume);
      assertRefused(Errno.EOPNOTSUPP, channel::detach);
      assertRefused(Errno.EOPNOTSUPP, channel::attach);
      assertRefused(Errno.EOPNOTSUPP, () -> channel.kill(1, 2));
      assertRefused(Errno.EOPNOTSUPP, () -> channel.setInterruptTarget(null));
      assertRefused(Errno.EOPNOTSUPP, () -> channel.setWeight(1));
      assertRefused(Errno.EOPNOTSUPP, channel::saveState);
      assertRefused(Errno.EOPNOTSUPP, () -> channel.restoreState(new byte[1]));
      assertThat(guest.readEvents(new NoEvents())).isZero();
      assertThat(guest.controlPages()).isEmpty();
      assertThat(guest.vramAperture()).isEmpty();
    }
  }

  private static final class NoEvents implements io.sluice.channel.EventSink {
    @Override
    public void interrupt(int channelId, long timeNs) {
      throw new AssertionError("no events");
    }

    @Override
    public void error(ChannelError error) {
      throw new AssertionError("no events");
    }
  }

  @Test
  void usage_realPscnv_isWhatWasAsked() {
    try (GuestGpu guest = gpu.open("g")) {
      GpuMemory vram = buffer(guest, 0, 4096);
      buffer(guest, 4, 8192);
      assertThat(guest.usage().vramBytes()).isEqualTo(4096);
      assertThat(guest.usage().systemBytes()).isEqualTo(8192);
      vram.close();
      assertThat(guest.usage().vramBytes()).isZero();
    }
  }

  @Test
  void open_failsOnTheWay_closesTheDevice() {
    kernel.fail("eventfd", 1, Errno.EMFILE);
    assertThatThrownBy(() -> gpu.open("g")).isInstanceOf(RuntimeException.class);
    assertThat(opens.getLast().closed).isTrue();
  }

  /** A process guest of a card without any capability. */
  @Test
  void guest_onARealPscnv_doesWhatPscnvCan() {
    try (Guest guest = new Guest("g", gpu, kernel, GuestListener.none())) {
      int vid = guest.spaces().create();
      int ring = guest.buffers().allocate(6, 0, 0xf1f01b, 4096).handle();
      GpuVa at = guest.spaces().map(vid, ring, LOW, HIGH, false);
      int cid = guest.channels().create(vid);
      guest.channels().start(cid, at, 9, 1);
      assertThat(guest.channels().query(cid).state()).isEqualTo(ChannelState.RUNNING);
      assertRefused(Errno.EOPNOTSUPP, () -> guest.channels().kill(cid, 14, 0));
      assertRefused(Errno.EOPNOTSUPP, () -> guest.channels().suspend(cid, "test"));
      assertRefused(Errno.EOPNOTSUPP, () -> guest.channels().detach(cid, "test"));
      assertRefused(Errno.EOPNOTSUPP, () -> guest.buffers().register(4, 0, 4096));
      assertRefused(
          Errno.EOPNOTSUPP,
          () -> guest.buffers().addRegion(new Iova(0), guest.events(), 0, 4096, true));
      assertRefused(Errno.EOPNOTSUPP, guest::controlPages);
      guest.channels().free(cid);
      guest.spaces().free(vid);
      guest.buffers().free(ring);
      assertThat(guest.buffers().use().systemBytes()).isZero();
      assertThat(guestDevice().buffers).isEmpty();
      assertThat(guestDevice().spaces).isEmpty();
      assertThat(guestDevice().channelPages).isEmpty();
    }
  }
}
