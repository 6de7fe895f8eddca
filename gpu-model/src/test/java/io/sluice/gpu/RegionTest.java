package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtExtent;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.ExtGemImport;
import io.sluice.abi.pscnv.ExtGemImportPages;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.ExtRegionDel;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buffers of guest memory. */
class RegionTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int GUEST_BYTES = 1 << 20;
  private static final int RELEASE_ONE_WORD = 2 | 1 << 24;
  private static final int ACQUIRE = 1;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Fd guest = rig.kernel.memfdCreate("guest", GUEST_BYTES);
  private final Mapping guestMapping =
      rig.kernel.mmap(guest, 0, GUEST_BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
  private final MemorySegment memory = guestMapping.segment();

  @AfterEach
  void close() {
    rig.close();
    guestMapping.close();
    guest.close();
  }

  private static void assertRefused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.errno()).isEqualTo(errno.number()));
  }

  private int regionAdd(long offset, long bytes, boolean writable) {
    return regionAdd(guest.number(), offset, bytes, writable ? 1 : 0);
  }

  private int regionAdd(int fd, long offset, long bytes, int flags) {
    MemorySegment argument = Client.block(PscnvIoctl.REGION_ADD);
    ExtRegionAdd.FD.set(argument, fd);
    ExtRegionAdd.FLAGS.setBits(argument, flags);
    ExtRegionAdd.OFFSET.set(argument, offset);
    ExtRegionAdd.SIZE_FIELD.set(argument, bytes);
    return ExtRegionAdd.REGION.bits(client.call(PscnvIoctl.REGION_ADD, argument));
  }

  /** Number of channels that ended. */
  private int regionDel(int region) {
    MemorySegment argument = Client.block(PscnvIoctl.REGION_DEL);
    ExtRegionDel.REGION.setBits(argument, region);
    return ExtRegionDel.CHANNELS_ENDED.bits(client.call(PscnvIoctl.REGION_DEL, argument));
  }

  private int gemImport(int flags, long bytes) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_IMPORT);
    ExtGemImport.FLAGS.setBits(argument, flags);
    ExtGemImport.SIZE_FIELD.set(argument, bytes);
    return ExtGemImport.HANDLE.bits(client.call(PscnvIoctl.GEM_IMPORT, argument));
  }

  /** Extents as region, offset, bytes. */
  private void importPages(int handle, long offset, long[]... extents) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_IMPORT_PAGES);
    ExtGemImportPages.HANDLE.setBits(argument, handle);
    ExtGemImportPages.COUNT.set(argument, extents.length);
    ExtGemImportPages.OFFSET.set(argument, offset);
    for (int i = 0; i < Math.min(extents.length, 256); i++) {
      long at = ExtGemImportPages.EXTENTS.offsetOf(i);
      ExtExtent.REGION.setBits(argument, at, (int) extents[i][0]);
      ExtExtent.OFFSET.set(argument, at, extents[i][1]);
      ExtExtent.BYTES.set(argument, at, extents[i][2]);
    }
    client.call(PscnvIoctl.GEM_IMPORT_PAGES, argument);
  }

  private static long[] extent(int region, long offset, long bytes) {
    return new long[] {region, offset, bytes};
  }

  /** A buffer of some pages of a region, mapped. */
  private long imported(int region, long offset, long bytes) {
    int handle = gemImport(PscnvGem.SYSRAM_SNOOP, bytes);
    importPages(handle, 0, extent(region, offset, bytes));
    return client.map(vid, handle);
  }

  // ---- what is refused ----

  @ParameterizedTest
  @CsvSource({
    "1, 4096, 1",
    "0, 4095, 1",
    "0, 0, 1",
    "-4096, 4096, 1",
    "0, -4096, 1",
    "0, 4096, 8",
    "0, 1052672, 1",
    "1048576, 4096, 1",
    "4096, 1048576, 0",
    "9223372036854771712, 8192, 1"
  })
  void regionAdd_rangeOrFlagsThatAreNone_isInvalid(long offset, long bytes, int flags) {
    assertRefused(Errno.EINVAL, () -> regionAdd(guest.number(), offset, bytes, flags));
  }

  @Test
  void regionAdd_descriptorThatIsNone_isRefused() {
    assertRefused(Errno.EBADF, () -> regionAdd(-1, 0, 4096, 1));
    assertRefused(Errno.EBADF, () -> regionAdd(1_000_000, 0, 4096, 1));
  }

  @Test
  void regionAdd_tooMany_hasNoMemory() {
    for (int i = 1; i <= 4095; i++) {
      assertThat(regionAdd(0, 4096, true)).isEqualTo(i);
    }
    assertRefused(Errno.ENOMEM, () -> regionAdd(0, 4096, true));
    regionDel(17);
    assertThat(regionAdd(0, 4096, true)).isEqualTo(17);
  }

  @ParameterizedTest
  @CsvSource({"0, 4096", "8, 4096", "4, 0", "4, 4097", "4, -4096", "4, 68719480832", "20, 4096"})
  void gemImport_whatCannotBe_isInvalid(int flags, long bytes) {
    assertRefused(Errno.EINVAL, () -> gemImport(flags, bytes));
  }

  @Test
  void gemImport_moreThanAnOpenMayHave_hasNoMemory() {
    int first = gemImport(PscnvGem.SYSRAM_SNOOP, 63L << 30);
    gemImport(PscnvGem.SYSRAM_SNOOP, 1L << 30);
    assertRefused(Errno.ENOMEM, () -> gemImport(PscnvGem.SYSRAM_SNOOP, 4096));
    client.gemClose(first);
    gemImport(PscnvGem.SYSRAM_SNOOP, 63L << 30);
  }

  @Test
  void importPages_whatCannotBe_isRefusedWhole() {
    int region = regionAdd(0, 0x10000, true);
    int handle = gemImport(PscnvGem.SYSRAM_SNOOP, 0x4000);
    long[] page = extent(region, 0, 0x1000);
    assertRefused(Errno.EBADF, () -> importPages(99, 0, page));
    int plain = client.gemNew(PscnvGem.SYSRAM_SNOOP, 4096);
    assertRefused(Errno.EINVAL, () -> importPages(plain, 0, page));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, new long[257][3]));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 1, page));
    assertRefused(Errno.EINVAL, () -> importPages(handle, -0x1000, page));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, extent(77, 0, 0x1000)));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, extent(region, 1, 0x1000)));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, extent(region, 0, 0)));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, extent(region, -0x1000, 0x1000)));
    assertRefused(Errno.ERANGE, () -> importPages(handle, 0, extent(region, 0x10000, 0x1000)));
    assertRefused(Errno.ERANGE, () -> importPages(handle, 0, extent(region, 0xf000, 0x2000)));
    assertRefused(Errno.ERANGE, () -> importPages(handle, 0x4000, page));
    assertRefused(Errno.ERANGE, () -> importPages(handle, 0x3000, page, page));
    assertRefused(Errno.ERANGE, () -> importPages(handle, Long.MAX_VALUE & -4096, page));
    assertRefused(Errno.EINVAL, () -> importPages(handle, 0, page, extent(77, 0, 0x1000)));
    importPages(handle, 0x1000, page);
    assertRefused(Errno.EEXIST, () -> importPages(handle, 0, page, page));
    assertRefused(Errno.EINVAL, () -> client.map(vid, handle));
    importPages(handle, 0, page);
    importPages(handle, 0x2000, page, page);
    assertThat(client.map(vid, handle)).isPositive();
    assertRefused(Errno.EINVAL, () -> client.device.map(PscnvMapHandle.ofBuffer(handle), 4096));
  }

  @Test
  void regionDel_unknown_isRefused() {
    assertRefused(Errno.ENOENT, () -> regionDel(0));
    assertRefused(Errno.ENOENT, () -> regionDel(1));
    int region = regionAdd(0, 4096, true);
    assertThat(regionDel(region)).isZero();
    assertRefused(Errno.ENOENT, () -> regionDel(region));
  }

  // ---- what runs ----

  @Test
  void importedPages_scattered_areTheGuestsOwnMemory() {
    int region = regionAdd(0x10000, 0x40000, true);
    int handle = gemImport(PscnvGem.SYSRAM_SNOOP, 0x3000);
    importPages(
        handle,
        0,
        extent(region, 0x5000, 0x1000),
        extent(region, 0x2000, 0x1000),
        extent(region, 0x9000, 0x1000));
    long va = client.map(vid, handle);
    for (int i = 0; i < 3; i++) {
      channel.submit(semaphore(va + i * 0x1000 + 8, i + 1, RELEASE_ONE_WORD));
    }
    rig.run();
    assertThat(memory.get(INT, 0x15008)).isEqualTo(1);
    assertThat(memory.get(INT, 0x12008)).isEqualTo(2);
    assertThat(memory.get(INT, 0x19008)).isEqualTo(3);
    assertThat(ExtFileQuery.SYSTEM_BYTES.get(client.usage()))
        .isEqualTo(0x3000 + 4096 + GuestChannel.PUSHBUFFER_BYTES);
  }

  @Test
  void readOnlyRegion_canBeReadButNotWritten() {
    long va = imported(regionAdd(0, 0x1000, false), 0, 0x1000);
    memory.set(INT, 0, 5);
    channel.submit(join(semaphore(va, 5, ACQUIRE), semaphore(va, 6, RELEASE_ONE_WORD)));
    rig.run();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(channel.info()).isEqualTo(6 | 1 << 8 | 7 << 16);
    assertThat(channel.faultAddress()).isEqualTo(va);
    assertThat(memory.get(INT, 0)).isEqualTo(5);
  }

  @Test
  void regionDel_inUse_endsItsChannelsOnly() {
    int region = regionAdd(0, 0x8000, true);
    imported(region, 0x3000, 0x2000);
    GuestChannel sibling = client.channel(vid);
    GuestChannel stranger = client.channel(client.vspaceNew());
    assertThat(regionDel(region)).isEqualTo(2);
    for (GuestChannel ended : new GuestChannel[] {channel, sibling}) {
      assertThat(ended.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
      assertThat(ended.reason()).isEqualTo(GuestAbi.ERROR_REVOKED);
      assertThat(ended.info()).isEqualTo(region);
      assertThat(ended.faultAddress()).isEqualTo(0x3000);
    }
    stranger.submit(0x20010014, 9);
    rig.run();
    assertThat(stranger.reference()).isEqualTo(9);
  }

  @Test
  void regionDel_inTheMiddleOfACopy_stopsIt() {
    int region = regionAdd(0, 0x2000, true);
    long va = imported(region, 0, 0x2000);
    channel.submit(
        join(
            new int[] {0x20014000, 0x9039, 0x2002408e, 0, (int) va, 0x200640c3, 0, (int) va},
            new int[] {0, 0, 0x1000, -1, 0x200140c0, 0x110}));
    assertThat(rig.cycle()).isPositive();
    assertThat(regionDel(region)).isEqualTo(1);
    assertThat(rig.cycle()).isZero();
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_REVOKED);
  }

  @Test
  void region_fileThatBecameShorter_endsTheChannelThatTouchesIt() throws IOException {
    long va = imported(regionAdd(0, 0x8000, true), 0, 0x8000);
    GuestChannel other = client.channel(vid);
    try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/" + guest.number(), "rw")) {
      file.setLength(0);
    }
    channel.submit(
        new int[] {
          0x20014000,
          0x9039,
          0x2002408e,
          0,
          (int) va,
          0x200640c3,
          0,
          (int) va + 0x4000,
          0,
          0,
          0x1000,
          1,
          0x200140c0,
          0x110
        });
    other.submit(0x20010014, 3);
    rig.run();
    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_DEVICE);
    other.submit(0x20010014, 4);
    rig.run();
    assertThat(other.reference()).isEqualTo(4);
  }

  @Test
  void regionDel_afterwards_newChannelsFaultThere() {
    int region = regionAdd(0, 0x1000, true);
    long va = imported(region, 0, 0x1000);
    regionDel(region);
    GuestChannel next = client.channel(vid);
    next.submit(semaphore(va, 1, RELEASE_ONE_WORD));
    rig.run();
    assertThat(next.reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(next.info()).isEqualTo(2 | 1 << 8 | 7 << 16);
  }
}
