package io.sluice.channel;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.GuestGpu.Extent;
import io.sluice.channel.GuestGpu.MemoryRegion;
import io.sluice.channel.record.ChannelRecord;
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
    assertThat(guest.usage().vramBytes()).isEqualTo(guest.memoryUse().videoBytes());
    assertThat(guest.usage().systemBytes()).isEqualTo(guest.memoryUse().systemBytes());
    rig.close();
  }

  @Test
  void memAlloc_whatPscnvRefuses_isEnomem() {
    for (long size : new long[] {0, -1, 1L << 40, Long.MAX_VALUE, GpuRig.VRAM_BYTES + 1}) {
      assertRefused(Errno.ENOMEM, () -> guest.memAlloc(VRAM, 0, 0, size));
    }
    for (int flags : new int[] {0x10, -1 & ~0x4, 0x80000000}) {
      assertRefused(Errno.ENOMEM, () -> guest.memAlloc(flags & ~0x4, 0, 0, 4096));
    }
    for (int tileFlags : new int[] {0x100, -1}) {
      assertRefused(Errno.ENOMEM, () -> guest.memAlloc(VRAM, tileFlags, 0, 4096));
    }
  }

  @Test
  void memAlloc_systemMemory_isEinval() {
    assertRefused(Errno.EINVAL, () -> guest.memAlloc(SYSTEM, 0, 0, 4096));
    assertRefused(Errno.EINVAL, () -> guest.memAlloc(0xc, 0, 0, 4096));
  }

  @Test
  void memAlloc_overTheLimit_isEnomemAndTakesNothing() {
    guest.setVramLimit(8192);
    guest.memAlloc(VRAM, 0, 0, 4096);
    assertRefused(Errno.ENOMEM, () -> guest.memAlloc(VRAM, 0, 0, 4097));
    assertRefused(Errno.ENOMEM, () -> guest.memAlloc(8, 0, 0, 1));
    assertThat(guest.memoryUse().videoBytes()).isEqualTo(4096);
    guest.memAlloc(VRAM, 0, 0, 1);
    assertThat(guest.memoryUse().videoBytes()).isEqualTo(8192);
  }

  @Test
  void setVramLimit_belowZeroOrAboveTheCard_isEinval() {
    assertRefused(Errno.EINVAL, () -> guest.setVramLimit(-1));
    assertRefused(Errno.EINVAL, () -> guest.setVramLimit(GpuRig.VRAM_BYTES + 1));
  }

  @Test
  void memoryCalls_noHandle_areEbadf() {
    guest.memAlloc(VRAM, 0, 0, 4096);
    int vid = guest.vspaceNew();
    for (int handle : NO_IDS) {
      assertRefused(Errno.EBADF, () -> guest.memInfo(handle));
      assertRefused(Errno.EBADF, () -> guest.memFree(handle));
      assertRefused(Errno.EBADF, () -> guest.memPages(handle, 0, List.of()));
      assertRefused(
          Errno.EBADF, () -> guest.vspaceMap(vid, handle, Worker.LOW, Worker.HIGH, false));
    }
  }

  @Test
  void memFree_twice_isEbadf() {
    int handle = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    guest.memFree(handle);
    assertRefused(Errno.EBADF, () -> guest.memFree(handle));
  }

  @Test
  void memAlloc_handlesOfAnotherGuest_areNotThisOnes() {
    Guest other = rig.attach("other");
    int handle = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    assertRefused(Errno.EBADF, () -> other.memInfo(handle));
    assertThat(other.memAlloc(VRAM, 0, 7, 8192).handle()).isEqualTo(handle);
    assertThat(guest.memInfo(handle).sizeBytes()).isEqualTo(4096);
    assertThat(other.memInfo(handle).cookie()).isEqualTo(7);
  }

  @Test
  void memRegister_sizeOrFlags_isEinval() {
    for (long size : new long[] {0, -4096, 1, 4097, 1L << 40}) {
      assertRefused(Errno.EINVAL, () -> guest.memRegister(SYSTEM, 0, size));
    }
    for (int flags : new int[] {VRAM, 8, SYSTEM | 0x10, -1}) {
      assertRefused(Errno.EINVAL, () -> guest.memRegister(flags, 0, 4096));
    }
  }

  @Test
  void memPages_badLists_areRefusedAndChangeNothing() throws Exception {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 65536);
    int handle = guest.memRegister(SYSTEM, 0, 16384);
    int vram = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    Extent one = new Extent(ram.region(), 0, 4096);
    assertRefused(Errno.EINVAL, () -> guest.memPages(vram, 0, List.of(one)));
    assertRefused(Errno.EINVAL, () -> guest.memPages(handle, 0, List.of()));
    assertRefused(Errno.EINVAL, () -> guest.memPages(handle, 0, Collections.nCopies(257, one)));
    assertRefused(Errno.EINVAL, () -> guest.memPages(handle, 1, List.of(one)));
    for (long[] bad : new long[][] {{1, 4096}, {0, 4095}, {0, 0}, {0, -4096}}) {
      Extent extent = new Extent(ram.region(), bad[0], bad[1]);
      assertRefused(Errno.EINVAL, () -> guest.memPages(handle, 0, List.of(extent)));
    }
    for (long[] bad :
        new long[][] {{65536, 4096}, {-4096, 4096}, {61440, 8192}, {1L << 62, 4096}}) {
      Extent extent = new Extent(ram.region(), bad[0], bad[1]);
      assertRefused(Errno.EFAULT, () -> guest.memPages(handle, 0, List.of(extent)));
    }
    for (long offset : new long[] {16384, -4096, Long.MAX_VALUE - 4095}) {
      assertRefused(Errno.ERANGE, () -> guest.memPages(handle, offset, List.of(one)));
    }
    assertRefused(
        Errno.ERANGE,
        () -> guest.memPages(handle, 12288, List.of(one, new Extent(ram.region(), 4096, 4096))));
    int vid = guest.vspaceNew();
    assertRefused(Errno.EINVAL, () -> guest.vspaceMap(vid, handle, Worker.LOW, Worker.HIGH, false));
    guest.memPages(handle, 0, List.of(new Extent(ram.region(), 0, 16384)));
    guest.vspaceMap(vid, handle, Worker.LOW, Worker.HIGH, false);
  }

  @Test
  void memPages_partFilledTwice_isEexist() {
    GpuRig.Ram ram = rig.ram(guest, 0x10000, 65536);
    int handle = guest.memRegister(SYSTEM, 0, 16384);
    guest.memPages(handle, 4096, List.of(new Extent(ram.region(), 0, 8192)));
    for (long offset : new long[] {4096, 8192}) {
      assertRefused(
          Errno.EEXIST,
          () -> guest.memPages(handle, offset, List.of(new Extent(ram.region(), 0, 4096))));
    }
    assertRefused(
        Errno.EEXIST, () -> guest.memPages(handle, 0, List.of(new Extent(ram.region(), 0, 8192))));
  }

  @Test
  void memPages_regionOfAnotherGuestOrClosed_isEfault() {
    Guest other = rig.attach("other");
    GpuRig.Ram foreign = rig.ram(other, 0x10000, 4096);
    GpuRig.Ram gone = rig.ram(guest, 0x10000, 4096);
    gone.region().close();
    int handle = guest.memRegister(SYSTEM, 0, 4096);
    for (MemoryRegion region : List.of(foreign.region(), gone.region())) {
      assertRefused(
          Errno.EFAULT, () -> guest.memPages(handle, 0, List.of(new Extent(region, 0, 4096))));
    }
  }

  @Test
  void addRegion_badRange_isEinval() {
    try (Fd fd = rig.kernel.memfdCreate("short", 8192)) {
      for (long[] bad : new long[][] {{1, 4096}, {0, 4095}, {0, 0}, {0, -1}, {4096, 8192}}) {
        assertRefused(Errno.EINVAL, () -> guest.addRegion(new Iova(0), fd, bad[0], bad[1], true));
      }
    }
  }

  @Test
  void addRegion_tooMany_isEnomem() {
    try (Fd fd = rig.kernel.memfdCreate("many", 4096)) {
      for (int i = 0; i < Limits.MAX_REGIONS; i++) {
        guest.addRegion(new Iova(i * 4096L), fd, 0, 4096, true);
      }
      assertRefused(Errno.ENOMEM, () -> guest.addRegion(new Iova(1L << 30), fd, 0, 4096, true));
    }
  }

  @Test
  void vspaceCalls_noId_areEnoent() {
    int handle = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    guest.vspaceNew();
    for (int vid : NO_IDS) {
      assertRefused(Errno.ENOENT, () -> guest.vspaceFree(vid));
      assertRefused(
          Errno.ENOENT, () -> guest.vspaceMap(vid, handle, Worker.LOW, Worker.HIGH, false));
      assertRefused(Errno.ENOENT, () -> guest.vspaceUnmap(vid, Worker.LOW));
      assertRefused(Errno.ENOENT, () -> guest.channelNew(vid));
    }
  }

  @Test
  void vspaceMap_badRange_isEinval() {
    int handle = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    int vid = guest.vspaceNew();
    long[][] ranges = {
      {0x3000, 0x3000}, {0x4000, 0x3000}, {-1, 0x3000}, {0, -1}, {0, (1L << 40) + 1}
    };
    for (long[] range : ranges) {
      assertRefused(
          Errno.EINVAL,
          () -> guest.vspaceMap(vid, handle, new GpuVa(range[0]), new GpuVa(range[1]), false));
    }
  }

  @Test
  void vspaceMap_noRoom_isEnomemAndMapsNothing() {
    int handle = guest.memAlloc(VRAM, 0, 0, 8192).handle();
    int vid = guest.vspaceNew();
    GpuVa start = new GpuVa(0x10000);
    assertRefused(
        Errno.ENOMEM, () -> guest.vspaceMap(vid, handle, start, new GpuVa(0x11000), false));
    guest.vspaceMap(vid, handle, start, new GpuVa(0x12000), false);
    assertRefused(
        Errno.ENOMEM, () -> guest.vspaceMap(vid, handle, start, new GpuVa(0x12000), true));
    guest.vspaceUnmap(vid, new GpuVa(0x11fff));
    assertRefused(Errno.ENOENT, () -> guest.vspaceUnmap(vid, start));
  }

  @Test
  void vspaceUnmap_nothingThere_isEnoent() {
    int handle = guest.memAlloc(VRAM, 0, 0, 4096).handle();
    int vid = guest.vspaceNew();
    GpuVa at = guest.vspaceMap(vid, handle, Worker.LOW, Worker.HIGH, false);
    for (long address : new long[] {0, at.value() - 1, at.value() + 4096, -1, Long.MIN_VALUE}) {
      assertRefused(Errno.ENOENT, () -> guest.vspaceUnmap(vid, new GpuVa(address)));
    }
  }

  @Test
  void channelCalls_noId_areEnoent() {
    guest.channelNew(guest.vspaceNew());
    for (int cid : NO_IDS) {
      assertRefused(Errno.ENOENT, () -> guest.channelFree(cid));
      assertRefused(Errno.ENOENT, () -> guest.objectNew(cid, 1, 0x9039, 0));
      assertRefused(Errno.ENOENT, () -> guest.fifoInitIb(cid, Worker.LOW, 4, 1));
      assertRefused(Errno.ENOENT, () -> guest.setupSegment(cid, new int[] {1}));
      assertRefused(Errno.ENOENT, () -> guest.channelQuery(cid));
      assertRefused(Errno.ENOENT, () -> guest.kill(cid, 14, 0));
      assertRefused(Errno.ENOENT, () -> guest.suspend(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.resume(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.detach(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.attach(cid, "test"));
      assertRefused(Errno.ENOENT, () -> guest.drained(cid));
    }
  }

  @Test
  void channelNew_moreThanThereAre_isEnomem() {
    int vid = guest.vspaceNew();
    int made = 0;
    try {
      while (made < 1000) {
        guest.channelNew(vid);
        made++;
      }
    } catch (io.sluice.abi.RefusedException e) {
      assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
    }
    assertThat(made).isEqualTo(126);
  }

  @Test
  void fifoInitIb_badRing_isEinval() {
    int cid = guest.channelNew(guest.vspaceNew());
    for (int order : new int[] {30, 31, 32, -1, Integer.MIN_VALUE}) {
      assertRefused(Errno.EINVAL, () -> guest.fifoInitIb(cid, Worker.LOW, order, 1));
    }
    for (long start : new long[] {4, -8, 1L << 40, Long.MIN_VALUE}) {
      assertRefused(Errno.EINVAL, () -> guest.fifoInitIb(cid, new GpuVa(start), 4, 1));
    }
  }

  @Test
  void fifoInitIb_twice_isEbusy() {
    Worker worker = new Worker(rig, guest, guest.vspaceNew()).start();
    assertRefused(Errno.EBUSY, worker::start);
  }

  @Test
  void objectNew_unknownClassOrTooMany_isRefused() {
    int cid = guest.channelNew(guest.vspaceNew());
    assertRefused(Errno.ENODEV, () -> guest.objectNew(cid, 1, 0x1234, 0));
    for (int i = 0; i < ChannelRecord.MAX_OBJECTS; i++) {
      guest.objectNew(cid, i, 0x9039, 0);
    }
    guest.objectNew(cid, 0, 0x9039, 0);
    assertRefused(Errno.ENOMEM, () -> guest.objectNew(cid, 99, 0x9039, 0));
  }

  @Test
  void setupSegment_tooLong_isE2big() {
    int cid = guest.channelNew(guest.vspaceNew());
    guest.setupSegment(cid, new int[Limits.MAX_SETUP_WORDS]);
    assertRefused(Errno.E2BIG, () -> guest.setupSegment(cid, new int[Limits.MAX_SETUP_WORDS + 1]));
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
    assertRefused(Errno.ENODEV, gone::vspaceNew);
    assertRefused(Errno.ENODEV, () -> gone.memAlloc(VRAM, 0, 0, 4096));
    assertRefused(Errno.ENODEV, gone::reset);
    assertThat(gone.dispatchEvents()).isZero();
  }
}
