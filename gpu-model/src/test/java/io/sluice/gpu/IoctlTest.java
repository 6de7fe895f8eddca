package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.drm.DrmVersion;
import io.sluice.abi.drm.GemFlink;
import io.sluice.abi.drm.GemOpen;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanNewAt;
import io.sluice.abi.pscnv.ExtChanParam;
import io.sluice.abi.pscnv.ExtChanState;
import io.sluice.abi.pscnv.ExtDirtyRead;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.ExtGemNewAt;
import io.sluice.abi.pscnv.ExtGemPool;
import io.sluice.abi.pscnv.ExtInfo;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvGemInfo;
import io.sluice.abi.pscnv.PscnvGetparam;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.abi.pscnv.PscnvObjEngNew;
import io.sluice.abi.pscnv.PscnvObjVdmaNew;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IoctlTest {
  private static final int NOWHERE = 99;
  private static final Set<PscnvIoctl> OF_GDEVS_PSCNV_ONLY =
      Set.of(
          PscnvIoctl.VM_READ32,
          PscnvIoctl.VM_WRITE32,
          PscnvIoctl.VM_READ,
          PscnvIoctl.VM_WRITE,
          PscnvIoctl.VM_MAP,
          PscnvIoctl.VM_UNMAP,
          PscnvIoctl.PHYS_GETADDR);

  private final Rig rig = new Rig();
  private final Client client = rig.open();

  @AfterEach
  void close() {
    rig.close();
  }

  private static void assertRefused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.errno()).isEqualTo(errno.number()));
  }

  private void assertRefused(Errno errno, PscnvIoctl ioctl, Consumer<MemorySegment> fill) {
    MemorySegment argument = Client.block(ioctl);
    fill.accept(argument);
    byte[] before = argument.toArray(ValueLayout.JAVA_BYTE);
    assertRefused(errno, () -> client.call(ioctl, argument));
    assertThat(argument.toArray(ValueLayout.JAVA_BYTE)).as("unchanged").isEqualTo(before);
  }

  // ---- the word ----

  @ParameterizedTest
  @EnumSource(PscnvIoctl.class)
  void ioctl_sizeBelowTheStructure_isInvalid(PscnvIoctl ioctl) {
    int request = DrmIoctl.request(3, DrmIoctl.COMMAND_BASE + ioctl.nr(), ioctl.sizeBytes() - 1);
    assertRefused(Errno.EINVAL, () -> client.device.ioctl(request, Client.block(ioctl)));
    assertRefused(
        Errno.EINVAL,
        () -> client.device.ioctl(ioctl.request(), Client.block(ioctl.sizeBytes() - 1)));
  }

  @Test
  void ioctl_numberThatNothingHas_isInvalid() {
    for (int number = 0; number < 256; number++) {
      int request = DrmIoctl.request(3, number, 64);
      boolean known =
          PscnvIoctl.of(request).filter(i -> !OF_GDEVS_PSCNV_ONLY.contains(i)).isPresent()
              || Set.of(0, 9, 10, 11).contains(number);
      if (!known) {
        assertRefused(Errno.EINVAL, () -> client.device.ioctl(request, Client.block(64)));
      }
    }
  }

  @Test
  void ioctl_anotherType_isNotATypewriter() {
    int request = PscnvIoctl.GETPARAM.request() & ~0xff00 | 'x' << 8;
    assertRefused(Errno.ENOTTY, () -> client.device.ioctl(request, Client.block(64)));
  }

  @Test
  void ioctl_anyDirection_isExecuted() {
    for (int direction = 0; direction < 4; direction++) {
      MemorySegment argument = Client.block(16);
      PscnvGetparam.PARAM.set(argument, 11);
      client.device.ioctl(DrmIoctl.request(direction, 0x40, 16), argument);
      assertThat(PscnvGetparam.VALUE.get(argument)).isEqualTo(0xc0);
    }
  }

  @Test
  void ioctl_afterClose_isABadDescriptor() {
    client.device.close();
    client.device.close();
    assertRefused(Errno.EBADF, client::vspaceNew);
    assertRefused(Errno.EBADF, () -> client.device.map(1L << 32, 4096));
  }

  // ---- what the card is ----

  @ParameterizedTest
  @CsvSource({
    "3, 4318",
    "4, 1728",
    "5, 2",
    "8, 33554432",
    "11, 192",
    "15, 4",
    "100, 15",
    "14, 1000000",
    "16, 3",
    "4294967312, 4",
    "8589934608, 4",
    "12884901904, 4"
  })
  void getparam_whatThereIs_isAnswered(long param, long value) {
    MemorySegment argument = Client.block(PscnvIoctl.GETPARAM);
    PscnvGetparam.PARAM.set(argument, param);
    client.call(PscnvIoctl.GETPARAM, argument);
    assertThat(PscnvGetparam.VALUE.get(argument)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 9, 12, 13, 17, 101, -1, 4L << 32 | 16, -1L << 32 | 16, 1L << 32 | 3})
  void getparam_whatThereIsNot_isInvalid(long param) {
    assertRefused(Errno.EINVAL, PscnvIoctl.GETPARAM, a -> PscnvGetparam.PARAM.set(a, param));
  }

  @Test
  void version_tellsPscnv() {
    MemorySegment argument = Client.block(DrmVersion.SIZE);
    client.device.ioctl(DrmIoctl.VERSION, argument);
    assertThat(DrmVersion.VERSION_MAJOR.get(argument)).isZero();
    assertThat(DrmVersion.VERSION_MINOR.get(argument)).isZero();
    assertThat(DrmVersion.VERSION_PATCHLEVEL.get(argument)).isEqualTo(16);
    assertThat(DrmVersion.NAME_LEN.get(argument)).isEqualTo("pscnv".length());
  }

  @Test
  void flink_andOpen_areNotSupported() {
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 4096);
    MemorySegment flink = Client.block(GemFlink.SIZE);
    GemFlink.HANDLE.setBits(flink, handle);
    assertRefused(Errno.EOPNOTSUPP, () -> client.device.ioctl(DrmIoctl.GEM_FLINK, flink));
    assertRefused(
        Errno.EOPNOTSUPP, () -> client.device.ioctl(DrmIoctl.GEM_OPEN, Client.block(GemOpen.SIZE)));
  }

  // ---- buffers ----

  @ParameterizedTest
  @CsvSource({
    // flags, tile flags, size
    "0, 0, 0",
    "0, 0, -1",
    "0, 0, 1099511627776",
    "0, 256, 4096",
    "0, -1, 4096",
    "4, 1, 4096",
    "12, 255, 4096",
    "16, 0, 4096",
    "0, 0, 33558528",
    "4, 0, 33558528"
  })
  void gemNew_whatCannotBe_hasNoMemory(int flags, int tileFlags, long size) {
    assertRefused(
        Errno.ENOMEM,
        PscnvIoctl.GEM_NEW,
        gem -> {
          PscnvGemInfo.FLAGS.setBits(gem, flags);
          PscnvGemInfo.TILE_FLAGS.setBits(gem, tileFlags);
          PscnvGemInfo.SIZE_FIELD.set(gem, size);
        });
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isZero();
    assertThat(client.gemNew(PscnvGem.VRAM_SMALL, Rig.VRAM_BYTES)).as("nothing leaks").isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 4096", "0, 4097, 8192", "8, 1, 131072", "4, 5000, 8192", "12, 4096, 4096"})
  void gemNew_anySize_isRoundedUp(int flags, long size, long rounded) {
    MemorySegment gem = Client.block(PscnvIoctl.GEM_NEW);
    PscnvGemInfo.FLAGS.setBits(gem, flags);
    PscnvGemInfo.SIZE_FIELD.set(gem, size);
    PscnvGemInfo.COOKIE.set(gem, 0xf1f0);
    PscnvGemInfo.USER.at(7).set(gem, 77);
    client.call(PscnvIoctl.GEM_NEW, gem);
    int handle = PscnvGemInfo.HANDLE.bits(gem);
    assertThat(PscnvGemInfo.SIZE_FIELD.get(gem)).isEqualTo(rounded);
    assertThat(PscnvGemInfo.MAP_HANDLE.get(gem)).isEqualTo((long) handle << 32);

    MemorySegment info = Client.block(PscnvIoctl.GEM_INFO);
    PscnvGemInfo.HANDLE.setBits(info, handle);
    client.call(PscnvIoctl.GEM_INFO, info);
    assertThat(info.mismatch(gem)).isEqualTo(-1);
  }

  @Test
  void gem_unknownHandle_isRefused() {
    assertRefused(Errno.EBADF, PscnvIoctl.GEM_INFO, a -> PscnvGemInfo.HANDLE.setBits(a, NOWHERE));
    assertRefused(Errno.EINVAL, () -> client.gemClose(NOWHERE));
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 4096);
    client.gemClose(handle);
    assertRefused(Errno.EINVAL, () -> client.gemClose(handle));
  }

  @Test
  void gemClose_ofAMappedBuffer_keepsItsMemoryUntilTheUnmap() {
    int vid = client.vspaceNew();
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 8192);
    long va = client.map(vid, handle);
    client.gemClose(handle);
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isEqualTo(8192);
    client.unmap(vid, va);
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isZero();
  }

  @Test
  void gemNewAt_placesAndRefuses() {
    assertThat(gemNewAt(PscnvGem.VRAM_SMALL, 0x5000, 0x2000)).isEqualTo(1);
    assertRefused(Errno.EBUSY, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x6000, 0x1000));
    assertRefused(Errno.EBUSY, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x4000, 0x2000));
    assertRefused(Errno.EBUSY, () -> gemNewAt(PscnvGem.VRAM_SMALL, Rig.VRAM_BYTES, 0x1000));
    assertRefused(Errno.EINVAL, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x1001, 0x1000));
    assertRefused(Errno.EINVAL, () -> gemNewAt(PscnvGem.VRAM_SMALL, -4096, 0x1000));
    assertRefused(Errno.EINVAL, () -> gemNewAt(PscnvGem.VRAM_LARGE, 0x1000, 0x1000));
    assertRefused(Errno.EINVAL, () -> gemNewAt(PscnvGem.SYSRAM_SNOOP, 0x8000, 0x1000));
    assertThat(gemNewAt(PscnvGem.VRAM_LARGE, 0x20000, 1)).isEqualTo(2);
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isEqualTo(0x22000);
  }

  @Test
  void gemNewAt_inSystemMemory_needsNoRoomOnTheCard() {
    int hog = rig.open().gemNew(PscnvGem.VRAM_SMALL, Rig.VRAM_BYTES);
    assertThat(hog).isPositive();
    assertRefused(Errno.ENOMEM, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x5000, 0x2000));
    int placed = gemNewAt(PscnvGem.VRAM_SMALL, 0x5000, 0x2000, ExtGemPool.SYSTEM);
    int anywhere = gemNewAt(PscnvGem.VRAM_SMALL, -1, 0x1000, ExtGemPool.SYSTEM);
    assertRefused(
        Errno.EBUSY, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x6000, 0x1000, ExtGemPool.SYSTEM));
    for (int pool : new int[] {0, 3, -1}) {
      assertRefused(Errno.EINVAL, () -> gemNewAt(PscnvGem.VRAM_SMALL, 0x8000, 0x1000, pool));
    }
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isZero();
    assertThat(ExtFileQuery.SYSTEM_BYTES.get(client.usage())).isEqualTo(0x3000);
    assertRefused(Errno.ENOMEM, () -> pool(placed, ExtGemPool.VIDEO));
    client.gemClose(placed);
    client.gemClose(anywhere);
    assertThat(ExtFileQuery.SYSTEM_BYTES.get(client.usage())).isZero();
  }

  private int gemNewAt(int flags, long offset, long bytes) {
    return gemNewAt(flags, offset, bytes, ExtGemPool.VIDEO);
  }

  private int gemNewAt(int flags, long offset, long bytes, int pool) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_NEW_AT);
    PscnvGemInfo.FLAGS.setBits(ExtGemNewAt.GEM.slice(argument), flags);
    PscnvGemInfo.SIZE_FIELD.set(ExtGemNewAt.GEM.slice(argument), bytes);
    ExtGemNewAt.APERTURE_OFFSET.set(argument, offset);
    ExtGemNewAt.POOL.setBits(argument, pool);
    client.call(PscnvIoctl.GEM_NEW_AT, argument);
    return PscnvGemInfo.HANDLE.bits(ExtGemNewAt.GEM.slice(argument));
  }

  @Test
  void gemPool_movesWhatABufferCountsAs() {
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 0x3000);
    int other = client.gemNew(PscnvGem.SYSRAM_SNOOP, 0x1000);
    pool(handle, ExtGemPool.SYSTEM);
    pool(handle, ExtGemPool.SYSTEM);
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isZero();
    assertThat(ExtFileQuery.SYSTEM_BYTES.get(client.usage())).isEqualTo(0x4000);
    assertThat(ExtFileQuery.VRAM_FREE.get(client.usage())).isEqualTo(Rig.VRAM_BYTES);
    Client neighbour = rig.open();
    int hog = neighbour.gemNew(PscnvGem.VRAM_SMALL, Rig.VRAM_BYTES);
    assertRefused(Errno.ENOMEM, () -> pool(handle, ExtGemPool.VIDEO));
    neighbour.gemClose(hog);
    pool(handle, ExtGemPool.VIDEO);
    assertThat(ExtFileQuery.VRAM_BYTES.get(client.usage())).isEqualTo(0x3000);
    assertRefused(Errno.EINVAL, () -> pool(other, ExtGemPool.VIDEO));
    assertRefused(Errno.EINVAL, () -> pool(handle, 0));
    assertRefused(Errno.EINVAL, () -> pool(handle, 3));
    assertRefused(Errno.EBADF, () -> pool(NOWHERE, ExtGemPool.VIDEO));
  }

  private void pool(int handle, int pool) {
    MemorySegment argument = Client.block(PscnvIoctl.GEM_POOL);
    ExtGemPool.HANDLE.setBits(argument, handle);
    ExtGemPool.POOL.setBits(argument, pool);
    client.call(PscnvIoctl.GEM_POOL, argument);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 3", "0, 1, 2", "0, -1, 1", "0, 3, -1", "2, 0, 1", "0, 0, 32769"})
  void dirtyRead_rangeOrFlagsThatAreNone_isInvalid(int flags, long first, long pages) {
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 0x2000);
    assertRefused(
        Errno.EINVAL,
        PscnvIoctl.DIRTY_READ,
        a -> {
          ExtDirtyRead.HANDLE.setBits(a, handle);
          ExtDirtyRead.FLAGS.setBits(a, flags);
          ExtDirtyRead.FIRST_PAGE.set(a, first);
          ExtDirtyRead.PAGES.setBits(a, (int) pages);
        });
  }

  // ---- address spaces ----

  @Test
  void vspace_ids_areTheCardsAndTheirOwners() {
    Client other = rig.open();
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < 127; i++) {
      ids.add((i % 2 == 0 ? client : other).vspaceNew());
    }
    assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id >= 1 && id <= 127);
    assertRefused(Errno.ENOMEM, client::vspaceNew);
    assertRefused(Errno.ENOENT, () -> client.vspaceFree(ids.get(1)));
    client.vspaceFree(ids.get(0));
    assertRefused(Errno.ENOENT, () -> client.vspaceFree(ids.get(0)));
    assertThat(other.vspaceNew()).isEqualTo(ids.get(0));
  }

  @Test
  void vspaceMap_whatIsNotThere_isRefused() {
    int vid = client.vspaceNew();
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 4096);
    assertRefused(Errno.ENOENT, () -> client.map(NOWHERE, handle));
    assertRefused(Errno.EBADF, () -> client.map(vid, NOWHERE));
    assertRefused(Errno.ENOMEM, () -> client.map(vid, handle, 4096, 4096, false));
    assertRefused(Errno.ENOENT, () -> client.unmap(vid, 0x2000_0000L));
    assertRefused(Errno.ENOENT, () -> client.unmap(NOWHERE, 0));
  }

  @Test
  void vspaceFree_withAChannel_isDeferred() {
    int vid = client.vspaceNew();
    GuestChannel channel = client.channel(vid);
    client.vspaceFree(vid);
    assertRefused(Errno.ENOENT, () -> client.chanNew(vid));
    channel.submit(0x20010014, 5);
    rig.run();
    assertThat(channel.reference()).isEqualTo(5);
    assertThat(client.vspaceNew()).as("the id is still taken").isNotEqualTo(vid);
    client.chanFree(channel.cid);
    assertThat(client.vspaceNew()).isEqualTo(vid);
  }

  // ---- channels ----

  @Test
  void channels_ofTheCard_are126() {
    Client other = rig.open();
    int vid = client.vspaceNew();
    int otherVid = other.vspaceNew();
    List<Integer> cids = new ArrayList<>();
    for (int i = 0; i < 63; i++) {
      cids.add(client.chanNew(vid));
      cids.add(other.chanNew(otherVid));
    }
    assertThat(cids).doesNotHaveDuplicates().allMatch(cid -> cid >= 1 && cid <= 126);
    assertRefused(Errno.ENOMEM, () -> client.chanNew(vid));
    assertRefused(Errno.ENOENT, () -> client.chanFree(cids.get(1)));
    client.chanFree(cids.get(0));
    assertRefused(Errno.ENOENT, () -> client.chanFree(cids.get(0)));
    assertThat(other.chanNew(otherVid)).isEqualTo(cids.get(0));
  }

  @Test
  void chanNewAt_placesAndRefuses() {
    int vid = client.vspaceNew();
    assertThat(ExtChanNewAt.PAGE.bits(chanNewAt(vid, 5))).isEqualTo(5);
    assertRefused(Errno.EBUSY, () -> chanNewAt(vid, 5));
    assertRefused(Errno.EINVAL, () -> chanNewAt(vid, 0));
    assertRefused(Errno.EINVAL, () -> chanNewAt(vid, 128));
    assertRefused(Errno.EINVAL, () -> chanNewAt(vid, -2));
    assertRefused(Errno.ENOENT, () -> chanNewAt(NOWHERE, 6));
    assertThat(ExtChanNewAt.PAGE.bits(chanNewAt(vid, ExtChanNewAt.ANY_PAGE))).isEqualTo(1);
    MemorySegment last = chanNewAt(vid, 127);
    assertThat(ExtChanNewAt.MAP_HANDLE.get(last))
        .isEqualTo(0xc0000000L | (long) ExtChanNewAt.CID.bits(last) << 16);
  }

  private MemorySegment chanNewAt(int vid, int page) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_NEW_AT);
    ExtChanNewAt.VID.setBits(argument, vid);
    ExtChanNewAt.PAGE.setBits(argument, page);
    return client.call(PscnvIoctl.CHAN_NEW_AT, argument);
  }

  @Test
  void fifoInitIb_ringThatIsNone_isRefused() {
    int cid = client.chanNew(client.vspaceNew());
    assertRefused(Errno.ENOENT, () -> client.fifoInitIb(NOWHERE, 0x20000000, 3));
    assertRefused(Errno.EINVAL, () -> client.fifoInitIb(cid, 0x20000000, 30));
    assertRefused(Errno.EINVAL, () -> client.fifoInitIb(cid, 0x20000000, -1));
    assertRefused(Errno.EINVAL, () -> client.fifoInitIb(cid, 0x20000004, 3));
    int wakes = rig.wakes.get();
    client.fifoInitIb(cid, 0x20000000, 29);
    assertThat(rig.wakes.get()).isGreaterThan(wakes);
    assertRefused(Errno.EBUSY, () -> client.fifoInitIb(cid, 0x20000000, 3));
  }

  @Test
  void objects_areAsOnFermi() {
    int cid = client.chanNew(client.vspaceNew());
    for (int objectClass : new int[] {0x9039, 0x90c0, 0x90b5, 0x90b8, 0x902d, 0x9097}) {
      engineObject(cid, objectClass);
    }
    assertRefused(Errno.ENODEV, () -> engineObject(cid, 0x5039));
    assertRefused(Errno.ENOENT, () -> engineObject(NOWHERE, 0x9039));
    assertRefused(Errno.ENOSYS, PscnvIoctl.OBJ_VDMA_NEW, a -> PscnvObjVdmaNew.CID.setBits(a, cid));
    assertRefused(
        Errno.ENOENT, PscnvIoctl.OBJ_VDMA_NEW, a -> PscnvObjVdmaNew.CID.setBits(a, NOWHERE));
    assertRefused(Errno.ENODEV, PscnvIoctl.FIFO_INIT, a -> {});
  }

  private void engineObject(int cid, int objectClass) {
    MemorySegment argument = Client.block(PscnvIoctl.OBJ_ENG_NEW);
    PscnvObjEngNew.CID.setBits(argument, cid);
    PscnvObjEngNew.OCLASS.setBits(argument, objectClass);
    client.call(PscnvIoctl.OBJ_ENG_NEW, argument);
  }

  @Test
  void control_whatIsNotThere_isRefused() {
    int cid = client.chanNew(client.vspaceNew());
    assertRefused(Errno.ENOENT, () -> client.control(NOWHERE, ExtChanControl.SUSPEND));
    assertRefused(Errno.EINVAL, () -> client.control(cid, 0));
    assertRefused(Errno.EINVAL, () -> client.control(cid, 6));
    assertRefused(Errno.ENOENT, () -> client.query(NOWHERE));
    assertRefused(Errno.EINVAL, () -> parameter(cid, 2, 1));
    assertRefused(Errno.EINVAL, () -> parameter(cid, ExtChanParam.WEIGHT, 0));
    assertRefused(Errno.EINVAL, () -> parameter(cid, ExtChanParam.WEIGHT, 1025));
    parameter(cid, ExtChanParam.WEIGHT, 1024);
  }

  private void parameter(int cid, int parameter, long value) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_PARAM);
    ExtChanParam.CID.setBits(argument, cid);
    ExtChanParam.PARAM.setBits(argument, parameter);
    ExtChanParam.VALUE.set(argument, value);
    client.call(PscnvIoctl.CHAN_PARAM, argument);
  }

  @Test
  void state_whatCannotBeSavedOrRestored_isRefused() {
    int vid = client.vspaceNew();
    int cid = client.chanNew(vid);
    assertRefused(Errno.EINVAL, () -> state(cid, ExtChanState.SAVE, 0));
    assertRefused(Errno.EINVAL, () -> state(cid, 3, 0));
    assertRefused(Errno.EINVAL, () -> state(cid, ExtChanState.RESTORE, 0x3001));
    client.fifoInitIb(cid, 0x20000000, 3);
    assertRefused(Errno.EBUSY, () -> state(cid, ExtChanState.SAVE, 0));
    assertRefused(Errno.EBUSY, () -> state(cid, ExtChanState.RESTORE, 8));
    int other = client.chanNew(vid);
    assertRefused(Errno.EINVAL, () -> state(other, ExtChanState.RESTORE, 0x100));
  }

  private void state(int cid, int op, long size) {
    MemorySegment argument = Client.block(PscnvIoctl.CHAN_STATE);
    ExtChanState.CID.setBits(argument, cid);
    ExtChanState.OP.setBits(argument, op);
    ExtChanState.SIZE_FIELD.set(argument, size);
    client.call(PscnvIoctl.CHAN_STATE, argument);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 65})
  void eventRead_countThatIsNone_isInvalid(int count) {
    assertRefused(Errno.EINVAL, () -> Events.read(client, count));
  }

  // ---- maps ----

  @Test
  void map_offsetsAndLengths_areThePscnvRules() {
    int vid = client.vspaceNew();
    int cid = client.chanNew(vid);
    int handle = client.gemNew(PscnvGem.VRAM_SMALL, 8192);
    Client other = rig.open();
    assertRefused(Errno.EINVAL, () -> client.device.map(PscnvMapHandle.ofChannel(cid), 4097));
    assertRefused(Errno.ENOENT, () -> other.device.map(PscnvMapHandle.ofChannel(cid), 4096));
    assertRefused(Errno.ENOENT, () -> client.device.map(PscnvMapHandle.ofChannel(0), 4096));
    assertRefused(Errno.EINVAL, () -> client.device.map(PscnvMapHandle.ofBuffer(handle), 8193));
    assertRefused(Errno.EINVAL, () -> client.device.map(PscnvMapHandle.ofBuffer(handle), 0));
    assertRefused(Errno.EINVAL, () -> client.device.map(PscnvMapHandle.ofBuffer(handle), -1));
    assertRefused(Errno.ENOENT, () -> client.device.map(PscnvMapHandle.ofBuffer(NOWHERE), 1));
    assertRefused(Errno.EINVAL, () -> client.device.map(0, 4096));
    assertRefused(Errno.EINVAL, () -> client.device.map(0xc0000001L, 4096));
    client.mmap(PscnvMapHandle.ofBuffer(handle) | 0x1234, 8192).set(ValueLayout.JAVA_INT, 0, 7);
    MemorySegment whole =
        client.mmap(
            ExtInfo.VRAM_MAP_HANDLE.get(extInfo()), ExtInfo.VRAM_APERTURE_BYTES.get(extInfo()));
    assertThat(whole.get(ValueLayout.JAVA_INT, 0)).isEqualTo(7);
  }

  @Test
  void map_controlPages_areAllChannelsOfThisOpen() {
    int vid = client.vspaceNew();
    MemorySegment placed = chanNewAt(vid, 9);
    MemorySegment info = extInfo();
    assertThat(ExtInfo.CONTROL_PAGES.bits(info)).isEqualTo(128);
    MemorySegment all = client.mmap(ExtInfo.CONTROL_MAP_HANDLE.get(info), 128 * 4096);
    client.mmap(ExtChanNewAt.MAP_HANDLE.get(placed), 4096).set(ValueLayout.JAVA_INT, 0x200, 0x77);
    assertThat(all.get(ValueLayout.JAVA_INT, 9 * 4096 + 0x200)).isEqualTo(0x77);
    client.chanFree(ExtChanNewAt.CID.bits(placed));
    assertThat(all.get(ValueLayout.JAVA_INT, 9 * 4096 + 0x200)).as("cleared").isZero();
  }

  private MemorySegment extInfo() {
    return client.call(PscnvIoctl.EXT_INFO, Client.block(PscnvIoctl.EXT_INFO));
  }
}
