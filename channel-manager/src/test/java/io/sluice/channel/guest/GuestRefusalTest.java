package io.sluice.channel.guest;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.state.GuestLimits;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a guest may not do, with the number it is answered. */
final class GuestRefusalTest {
  private static final int VRAM = 0;
  private static final int SYSTEM = 4;
  private static final int[] NO_IDS = {0, -1, 2, 127, 128, Integer.MAX_VALUE, Integer.MIN_VALUE};

  private final GpuRig rig = new GpuRig();
  private final Guest guest = rig.attach("g");

  @AfterEach
  void close() throws Exception {
    assertThat(guest.buffers().usage().vramBytes()).isEqualTo(guest.buffers().use().videoBytes());
    assertThat(guest.buffers().usage().systemBytes())
        .isEqualTo(guest.buffers().use().systemBytes());
    rig.close();
  }

  @Test
  void memAlloc_whatPscnvRefuses_isEnomem() {
    for (long size : new long[] {0, -1, 1L << 40, Long.MAX_VALUE, GpuRig.VRAM_BYTES + 1}) {
      assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(VRAM, 0, 0, size));
    }
    for (int flags : new int[] {0x10, -1 & ~0x4, 0x80000000}) {
      assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(flags & ~0x4, 0, 0, 4096));
    }
    for (int tileFlags : new int[] {0x100, -1}) {
      assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(VRAM, tileFlags, 0, 4096));
    }
  }

  @Test
  void memAlloc_systemMemory_isEinval() {
    assertRefused(Errno.EINVAL, () -> guest.buffers().allocate(SYSTEM, 0, 0, 4096));
    assertRefused(Errno.EINVAL, () -> guest.buffers().allocate(0xc, 0, 0, 4096));
  }

  @Test
  void memAlloc_overTheLimit_isEnomemAndTakesNothing() {
    guest.buffers().setLimit(8192);
    guest.buffers().allocate(VRAM, 0, 0, 4096);
    assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(VRAM, 0, 0, 4097));
    assertRefused(Errno.ENOMEM, () -> guest.buffers().allocate(8, 0, 0, 1));
    assertThat(guest.buffers().use().videoBytes()).isEqualTo(4096);
    guest.buffers().allocate(VRAM, 0, 0, 1);
    assertThat(guest.buffers().use().videoBytes()).isEqualTo(8192);
  }

  @Test
  void setVramLimit_belowZeroOrAboveTheCard_isEinval() {
    assertRefused(Errno.EINVAL, () -> guest.buffers().setLimit(-1));
    assertRefused(Errno.EINVAL, () -> guest.buffers().setLimit(GpuRig.VRAM_BYTES + 1));
  }

  @Test
  void memoryCalls_noHandle_areEbadf() {
    guest.buffers().allocate(VRAM, 0, 0, 4096);
    int vid = guest.spaces().create();
    for (int handle : NO_IDS) {
      assertRefused(Errno.EBADF, () -> guest.buffers().info(handle));
      assertRefused(Errno.EBADF, () -> guest.buffers().free(handle));
      assertRefused(Errno.EBADF, () -> guest.buffers().setPages(handle, 0, List.of()));
      assertRefused(
          Errno.EBADF, () -> guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false));
    }
  }

  @Test
  void memFree_twice_isEbadf() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    guest.buffers().free(handle);
    assertRefused(Errno.EBADF, () -> guest.buffers().free(handle));
  }

  @Test
  void memAlloc_handlesOfAnotherGuest_areNotThisOnes() {
    Guest other = rig.attach("other");
    int handle = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    assertRefused(Errno.EBADF, () -> other.buffers().info(handle));
    assertThat(other.buffers().allocate(VRAM, 0, 7, 8192).handle()).isEqualTo(handle);
    assertThat(guest.buffers().info(handle).sizeBytes()).isEqualTo(4096);
    assertThat(other.buffers().info(handle).cookie()).isEqualTo(7);
  }

  @Test
  void memRegister_sizeOrFlags_isEinval() {
    for (long size : new long[] {0, -4096, 1, 4097, 1L << 40}) {
      assertRefused(Errno.EINVAL, () -> guest.buffers().register(SYSTEM, 0, size));
    }
    for (int flags : new int[] {VRAM, 8, SYSTEM | 0x10, -1}) {
      assertRefused(Errno.EINVAL, () -> guest.buffers().register(flags, 0, 4096));
    }
  }

  @Test
  void memPages_badLists_areRefusedAndChangeNothing() throws Exception {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 65536);
    int handle = guest.buffers().register(SYSTEM, 0, 16384);
    int vram = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    RegionExtent one = new RegionExtent(ram.region(), 0, 4096);
    assertRefused(Errno.EINVAL, () -> guest.buffers().setPages(vram, 0, List.of(one)));
    assertRefused(Errno.EINVAL, () -> guest.buffers().setPages(handle, 0, List.of()));
    assertRefused(
        Errno.EINVAL, () -> guest.buffers().setPages(handle, 0, Collections.nCopies(257, one)));
    assertRefused(Errno.EINVAL, () -> guest.buffers().setPages(handle, 1, List.of(one)));
    for (long[] bad : new long[][] {{1, 4096}, {0, 4095}, {0, 0}, {0, -4096}}) {
      RegionExtent extent = new RegionExtent(ram.region(), bad[0], bad[1]);
      assertRefused(Errno.EINVAL, () -> guest.buffers().setPages(handle, 0, List.of(extent)));
    }
    for (long[] bad :
        new long[][] {{65536, 4096}, {-4096, 4096}, {61440, 8192}, {1L << 62, 4096}}) {
      RegionExtent extent = new RegionExtent(ram.region(), bad[0], bad[1]);
      assertRefused(Errno.EFAULT, () -> guest.buffers().setPages(handle, 0, List.of(extent)));
    }
    for (long offset : new long[] {16384, -4096, Long.MAX_VALUE - 4095}) {
      assertRefused(Errno.ERANGE, () -> guest.buffers().setPages(handle, offset, List.of(one)));
    }
    assertRefused(
        Errno.ERANGE,
        () ->
            guest
                .buffers()
                .setPages(handle, 12288, List.of(one, new RegionExtent(ram.region(), 4096, 4096))));
    int vid = guest.spaces().create();
    assertRefused(
        Errno.EINVAL, () -> guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false));
    guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, 16384)));
    guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
  }

  @Test
  void memPages_partFilledTwice_isEexist() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 65536);
    int handle = guest.buffers().register(SYSTEM, 0, 16384);
    guest.buffers().setPages(handle, 4096, List.of(new RegionExtent(ram.region(), 0, 8192)));
    for (long offset : new long[] {4096, 8192}) {
      assertRefused(
          Errno.EEXIST,
          () ->
              guest
                  .buffers()
                  .setPages(handle, offset, List.of(new RegionExtent(ram.region(), 0, 4096))));
    }
    assertRefused(
        Errno.EEXIST,
        () ->
            guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, 8192))));
  }

  /** The same page again and again, so that extents never become one. */
  @Test
  void memPages_moreExtentsThanAGuestMayHave_isEnomem() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 4096);
    RegionExtent one = new RegionExtent(ram.region(), 0, 4096);
    List<RegionExtent> call = Collections.nCopies(GuestLimits.MAX_EXTENTS, one);
    long most = 1L << 19; // docs/threat-model.md, "Budgets"
    int handle = guest.buffers().register(SYSTEM, 0, (most + 1) * 4096);
    for (long done = 0; done < most; done += call.size()) {
      guest.buffers().setPages(handle, done * 4096, call);
    }
    assertThatThrownBy(() -> guest.buffers().setPages(handle, most * 4096, List.of(one)))
        .as("by the guest's own limit, which other GPUs do not have")
        .hasMessageContaining("no more extents for this guest, limit=" + most);
  }

  @Test
  void memPages_regionOfAnotherGuestOrClosed_isEfault() {
    Guest other = rig.attach("other");
    GpuRig.Ram foreign = rig.ram(other, 0x10000, 4096);
    GpuRig.Ram gone = rig.ram(guest, 0x10000, 4096);
    gone.region().close();
    int handle = guest.buffers().register(SYSTEM, 0, 4096);
    for (RegisteredMemory region : List.of(foreign.region(), gone.region())) {
      assertRefused(
          Errno.EFAULT,
          () -> guest.buffers().setPages(handle, 0, List.of(new RegionExtent(region, 0, 4096))));
    }
  }

  @Test
  void addRegion_badRange_isEinval() {
    try (Fd fd = rig.kernel.memfdCreate("short", 8192)) {
      for (long[] bad : new long[][] {{1, 4096}, {0, 4095}, {0, 0}, {0, -1}, {4096, 8192}}) {
        assertRefused(
            Errno.EINVAL, () -> guest.buffers().addRegion(new Iova(0), fd, bad[0], bad[1], true));
      }
    }
  }

  @Test
  void addRegion_tooMany_isEnomem() {
    try (Fd fd = rig.kernel.memfdCreate("many", 4096)) {
      for (int i = 0; i < GuestLimits.MAX_REGIONS; i++) {
        guest.buffers().addRegion(new Iova(i * 4096L), fd, 0, 4096, true);
      }
      assertRefused(
          Errno.ENOMEM, () -> guest.buffers().addRegion(new Iova(1L << 30), fd, 0, 4096, true));
    }
  }

  @Test
  void vspaceCalls_noId_areEnoent() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    guest.spaces().create();
    for (int vid : NO_IDS) {
      assertRefused(Errno.ENOENT, () -> guest.spaces().free(vid));
      assertRefused(
          Errno.ENOENT, () -> guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false));
      assertRefused(Errno.ENOENT, () -> guest.spaces().unmap(vid, Worker.LOW));
      assertRefused(Errno.ENOENT, () -> guest.channels().create(vid));
    }
  }

  @Test
  void vspaceMap_badRange_isEinval() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    int vid = guest.spaces().create();
    long[][] ranges = {
      {0x3000, 0x3000}, {0x4000, 0x3000}, {-1, 0x3000}, {0, -1}, {0, (1L << 40) + 1}
    };
    for (long[] range : ranges) {
      assertRefused(
          Errno.EINVAL,
          () -> guest.spaces().map(vid, handle, new GpuVa(range[0]), new GpuVa(range[1]), false));
    }
  }

  @Test
  void vspaceMap_noRoom_isEnomemAndMapsNothing() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, 8192).handle();
    int vid = guest.spaces().create();
    GpuVa start = new GpuVa(0x10000);
    assertRefused(
        Errno.ENOMEM, () -> guest.spaces().map(vid, handle, start, new GpuVa(0x11000), false));
    guest.spaces().map(vid, handle, start, new GpuVa(0x12000), false);
    assertRefused(
        Errno.ENOMEM, () -> guest.spaces().map(vid, handle, start, new GpuVa(0x12000), true));
    guest.spaces().unmap(vid, new GpuVa(0x11fff));
    assertRefused(Errno.ENOENT, () -> guest.spaces().unmap(vid, start));
  }

  @Test
  void vspaceUnmap_nothingThere_isEnoent() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, 4096).handle();
    int vid = guest.spaces().create();
    GpuVa at = guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
    for (long address : new long[] {0, at.value() - 1, at.value() + 4096, -1, Long.MIN_VALUE}) {
      assertRefused(Errno.ENOENT, () -> guest.spaces().unmap(vid, new GpuVa(address)));
    }
  }

  @Test
  void channelCalls_noId_areEnoent() {
    guest.channels().create(guest.spaces().create());
    for (int cid : NO_IDS) {
      assertRefused(Errno.ENOENT, () -> guest.channels().free(cid));
      assertRefused(Errno.ENOENT, () -> guest.channels().declareObject(cid, 1, 0x9039, 0));
      assertRefused(Errno.ENOENT, () -> guest.channels().start(cid, Worker.LOW, 4, 1));
      assertRefused(Errno.ENOENT, () -> guest.channels().setupSegment(cid, new int[] {1}));
      assertRefused(Errno.ENOENT, () -> guest.channels().query(cid));
      assertRefused(Errno.ENOENT, () -> guest.channels().kill(cid, 14, 0));
      assertRefused(Errno.ENOENT, () -> guest.channels().suspend(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.channels().resume(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.channels().detach(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.channels().attach(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.channels().drain(cid));
    }
  }

  @Test
  void channelNew_moreThanThereAre_isEnomem() {
    int vid = guest.spaces().create();
    int made = 0;
    try {
      while (made < 1000) {
        guest.channels().create(vid);
        made++;
      }
    } catch (io.sluice.abi.RefusedException e) {
      assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
    }
    assertThat(made).isEqualTo(126);
  }

  @Test
  void fifoInitIb_badRing_isEinval() {
    int cid = guest.channels().create(guest.spaces().create());
    for (int order : new int[] {30, 31, 32, -1, Integer.MIN_VALUE}) {
      assertRefused(Errno.EINVAL, () -> guest.channels().start(cid, Worker.LOW, order, 1));
    }
    for (long start : new long[] {4, -8, 1L << 40, Long.MIN_VALUE}) {
      assertRefused(Errno.EINVAL, () -> guest.channels().start(cid, new GpuVa(start), 4, 1));
    }
  }

  @Test
  void fifoInitIb_twice_isEbusy() {
    Worker worker = new Worker(rig, guest, guest.spaces().create()).start();
    assertRefused(Errno.EBUSY, worker::start);
  }

  @Test
  void objectNew_unknownClassOrTooMany_isRefused() {
    int cid = guest.channels().create(guest.spaces().create());
    assertRefused(Errno.ENODEV, () -> guest.channels().declareObject(cid, 1, 0x1234, 0));
    for (int i = 0; i < ChannelRecord.MAX_OBJECTS; i++) {
      guest.channels().declareObject(cid, i, 0x9039, 0);
    }
    guest.channels().declareObject(cid, 0, 0x9039, 0);
    assertRefused(Errno.ENOMEM, () -> guest.channels().declareObject(cid, 99, 0x9039, 0));
  }

  @Test
  void setupSegment_tooLong_isE2big() {
    int cid = guest.channels().create(guest.spaces().create());
    guest.channels().setupSegment(cid, new int[GuestLimits.MAX_SETUP_WORDS]);
    assertRefused(
        Errno.E2BIG,
        () -> guest.channels().setupSegment(cid, new int[GuestLimits.MAX_SETUP_WORDS + 1]));
  }

  @Test
  void parameter_unknownOrPrivate_isEinval() {
    for (long id : new long[] {0, 9, 12, 17, 17L | 1L << 32, 1000, -1}) {
      assertRefused(Errno.EINVAL, () -> guest.parameter(id));
    }
  }

  @Test
  void everyCall_afterClose_isEnodev() {
    Guest gone = rig.attach("gone");
    gone.close();
    gone.close();
    assertRefused(Errno.ENODEV, gone.spaces()::create);
    assertRefused(Errno.ENODEV, () -> gone.buffers().allocate(VRAM, 0, 0, 4096));
    assertRefused(Errno.ENODEV, gone::reset);
    assertThat(gone.dispatchEvents()).isZero();
  }
}
