package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls of the guest ABI, with everything a guest may get wrong. */
final class HypercallsTest extends CallTest {
  private static final int SYSRAM = 6;
  private static final int PAGE = 4096;

  private int register(long bytes) {
    return word(succeed(GuestAbi.CALL_MEM_REGISTER, SYSRAM, 0, bytes, 0, 0), 0x10);
  }

  private int newSpace() {
    return word(succeed(GuestAbi.CALL_VSPACE_NEW, 0, 0), 0);
  }

  private int newChannel() {
    return word(succeed(GuestAbi.CALL_CHAN_NEW, newSpace(), 0), 4);
  }

  /** Writes extents to the list at the start of the guest's memory. */
  private void list(long... words) {
    for (int i = 0; i < words.length; i++) {
      ram.setAtIndex(ValueLayout.JAVA_LONG, i, words[i]);
    }
  }

  private Object[] pages(int handle, int count, long offset, long list) {
    return new Object[] {handle, count, offset, list};
  }

  // ---- what is no call ----

  @ParameterizedTest
  @ValueSource(ints = {0, 21, 22, 23, 24, 255, -1, 0x7fffffff})
  void call_unknownCommand_enosys(int command) {
    refuse(Errno.ENOSYS, command, 1, 2, 3, 4);
  }

  @Test
  void call_ofAnotherGpuGeneration_isRefusedAsThere() {
    refuse(Errno.ENOSYS, GuestAbi.CALL_OBJ_VDMA_NEW, 1);
    refuse(Errno.ENODEV, GuestAbi.CALL_FIFO_INIT, 1);
  }

  // ---- handles ----

  @ParameterizedTest
  @CsvSource({
    "3, EBADF, 0",
    "3, EBADF, 1",
    "3, EBADF, 65535",
    "3, EBADF, 65536",
    "3, EBADF, -1",
    "4, EBADF, 0",
    "4, EBADF, 1",
    "4, EBADF, 65536",
    "4, EBADF, -1",
    "6, ENOENT, 0",
    "6, ENOENT, 1",
    "6, ENOENT, 128",
    "6, ENOENT, -1",
    "7, ENOENT, 0",
    "7, ENOENT, 127",
    "7, ENOENT, -1",
    "8, ENOENT, 0",
    "8, ENOENT, 1",
    "8, ENOENT, 128",
    "8, ENOENT, -1",
    "12, ENOENT, 0",
    "12, ENOENT, 5",
    "12, ENOENT, -1",
    "14, ENOENT, 0",
    "14, ENOENT, 127",
    "14, ENOENT, -1",
    "17, ENOENT, 0",
    "17, ENOENT, 1000000",
    "17, ENOENT, -1",
    "19, ENOENT, 3",
  })
  void call_handleThatIsNone_isRefused(int command, String errno, int handle) {
    refuse(Errno.valueOf(errno), command, handle, 0, 0, 0);
  }

  @Test
  void call_handleThatWasGivenBack_isRefused() {
    int space = newSpace();
    succeed(GuestAbi.CALL_VSPACE_FREE, space, 0);
    refuse(Errno.ENOENT, GuestAbi.CALL_VSPACE_FREE, space, 0);
    refuse(Errno.ENOENT, GuestAbi.CALL_CHAN_NEW, space, 0);
    int memory = register(PAGE);
    succeed(GuestAbi.CALL_MEM_FREE, memory, 0);
    refuse(Errno.EBADF, GuestAbi.CALL_MEM_FREE, memory, 0);
    refuse(Errno.EBADF, GuestAbi.CALL_MEM_INFO, memory);
    int channel = newChannel();
    succeed(GuestAbi.CALL_CHAN_FREE, channel, 0);
    refuse(Errno.ENOENT, GuestAbi.CALL_CHAN_QUERY, channel);
  }

  @Test
  void call_wordsThatMustBeZero_einval() {
    refuse(Errno.EINVAL, GuestAbi.CALL_VSPACE_NEW, 0, 1);
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_FREE, 1, 1);
    refuse(Errno.EINVAL, GuestAbi.CALL_VSPACE_MAP, 1, 1, 0, 1, 0L, 4096L);
    refuse(Errno.EINVAL, GuestAbi.CALL_VSPACE_UNMAP, 1, 1, 0L);
    refuse(Errno.EINVAL, GuestAbi.CALL_FIFO_INIT_IB, 1, 1, 1, 9, 0L);
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_REGISTER, SYSRAM, 0, 4096L, 0, 7);
  }

  // ---- memory ----

  @ParameterizedTest
  @ValueSource(
      longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40, FakeGpu.APERTURE_BYTES + 1})
  void memAlloc_badSize_enomem(long size) {
    refuse(Errno.ENOMEM, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, size, 0L);
  }

  @Test
  void memAlloc_ofSystemMemory_einval() {
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_ALLOC, SYSRAM, 0, 0, 0, 4096L, 0L);
  }

  @Test
  void memAlloc_thenInfo_tellsWhatItIs() {
    MemorySegment args = succeed(GuestAbi.CALL_MEM_ALLOC, 2, 0xdb, 77, 0, 5000L, 0L);
    int handle = word(args, 0x0c);
    assertThat(args.get(ValueLayout.JAVA_LONG, 0x10)).isEqualTo(8192);
    assertThat(args.get(ValueLayout.JAVA_LONG, 0x18)).isZero();
    args = succeed(GuestAbi.CALL_MEM_INFO, handle);
    assertThat(word(args, 4)).isEqualTo(2);
    assertThat(word(args, 8)).isEqualTo(0xdb);
    assertThat(word(args, 0x0c)).isEqualTo(77);
    assertThat(args.get(ValueLayout.JAVA_LONG, 0x10)).isEqualTo(8192);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 4095, 4097, -4096})
  void memRegister_badSize_einval(long size) {
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_REGISTER, SYSRAM, 0, size, 0, 0);
  }

  @Test
  void memInfo_ofRegisteredMemory_isNotInTheAperture() {
    int handle = register(PAGE);
    MemorySegment args = succeed(GuestAbi.CALL_MEM_INFO, handle);
    assertThat(args.get(ValueLayout.JAVA_LONG, 0x18)).isEqualTo(-1);
  }

  // ---- MEM_PAGES ----

  @ParameterizedTest
  @ValueSource(ints = {0, 257, -1, 0x10000000})
  void memPages_badCount_einval(int count) {
    int handle = register(PAGE);
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_PAGES, pages(handle, count, 0, RAM));
  }

  @ParameterizedTest
  @ValueSource(longs = {RAM + 4, RAM + 1, RAM + 4088})
  void memPages_listNotInOnePage_einval(long address) {
    int handle = register(PAGE);
    refuse(Errno.EINVAL, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, address));
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, RAM - PAGE, RAM + RAM_BYTES, -PAGE, Long.MIN_VALUE, Long.MAX_VALUE - 4095})
  void memPages_listThatIsNoGuestMemory_efault(long address) {
    int handle = register(PAGE);
    refuse(Errno.EFAULT, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, address));
  }

  @ParameterizedTest
  @CsvSource({
    "0x10001000, 0, EINVAL",
    "0x10001000, 100, EINVAL",
    "0x10001000, -4096, EINVAL",
    "0x10001004, 4096, EINVAL",
    "0x20000000, 4096, EFAULT",
    "0x1000f000, 8192, EFAULT", // beyond the end of the map
    "0xfffffffffffff000, 8192, EFAULT",
    "0x10001000, 0x7ffffffffffff000, EFAULT",
  })
  void memPages_badExtent_isRefused(String address, String bytes, String errno) {
    int handle = register(1 << 20);
    list(Long.parseUnsignedLong(address.substring(2), 16), Long.decode(bytes));
    refuse(Errno.valueOf(errno), GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
  }

  @Test
  void memPages_secondExtentBad_noneIsTaken() {
    int handle = register(2 * PAGE);
    list(RAM + PAGE, PAGE, 0, PAGE);
    refuse(Errno.EFAULT, GuestAbi.CALL_MEM_PAGES, pages(handle, 2, 0, RAM));
    list(RAM + PAGE, 2 * PAGE);
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
  }

  @Test
  void memPages_ofAnUnknownHandle_ebadf() {
    list(RAM + PAGE, PAGE);
    refuse(Errno.EBADF, GuestAbi.CALL_MEM_PAGES, pages(99, 1, 0, RAM));
  }

  @ParameterizedTest
  @CsvSource({"4096, ERANGE", "-4096, ERANGE", "100, EINVAL"})
  void memPages_offsetOutside_isRefused(long offset, String errno) {
    int handle = register(PAGE);
    list(RAM + PAGE, PAGE);
    refuse(Errno.valueOf(errno), GuestAbi.CALL_MEM_PAGES, pages(handle, 1, offset, RAM));
  }

  @Test
  void memPages_aPartTwice_eexist() {
    int handle = register(2 * PAGE);
    list(RAM + PAGE, PAGE);
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
    refuse(Errno.EEXIST, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
  }

  @Test
  void memPages_ofMemoryWithoutDescriptor_efault() {
    client.ok(2, RawClient.body(32, 3, 0L, 0x4000_0000L, (long) PAGE));
    int handle = register(PAGE);
    list(0x4000_0000L, PAGE);
    refuse(Errno.EFAULT, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
    refuse(Errno.EFAULT, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, 0x4000_0000L));
  }

  @Test
  void memPages_ofMemoryThatWasUnmapped_efault() {
    int handle = register(PAGE);
    list(RAM + PAGE, PAGE);
    client.ok(3, RawClient.body(24, 0, RAM, (long) RAM_BYTES));
    refuse(Errno.EFAULT, GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
  }

  @Test
  void memPages_acrossTwoMaps_areBoth() {
    try (Fd memory = kernel.memfdCreate("more", RAM_BYTES)) {
      client.ok(2, RawClient.body(32, 3, 0L, RAM + RAM_BYTES, (long) RAM_BYTES), memory);
    }
    int handle = register(4 * PAGE);
    list(RAM + RAM_BYTES - PAGE, 3 * PAGE, RAM + PAGE, PAGE);
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 2, 0, RAM));
    succeed(GuestAbi.CALL_VSPACE_MAP, newSpace(), handle, 0, 0, 1L << 20, 1L << 30, 0L);
  }

  @Test
  void memPages_rangesThatCrossTheSameMapsAgainAndAgain_enomem() {
    int maps = 300;
    long first = RAM + RAM_BYTES;
    try (Fd memory = kernel.memfdCreate("scattered", maps * (long) PAGE)) {
      for (long at = 0; at < maps * (long) PAGE; at += PAGE) {
        client.ok(2, RawClient.body(32, 3, at, first + at, (long) PAGE), memory);
      }
    }
    int handle = register(15L * maps * PAGE);
    long[] words = new long[2 * 15];
    for (int i = 0; i < words.length; i += 2) {
      words[i] = first;
      words[i + 1] = (long) maps * PAGE;
    }
    list(words);
    refuse(Errno.ENOMEM, GuestAbi.CALL_MEM_PAGES, pages(handle, 15, 0, RAM));
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 14, 0, RAM));
  }

  @Test
  void memPages_fullListOfExtents_isTaken() {
    int handle = register(256L * PAGE);
    for (int i = 0; i < 256; i++) {
      ram.setAtIndex(ValueLayout.JAVA_LONG, 2 * i, RAM + PAGE);
      ram.setAtIndex(ValueLayout.JAVA_LONG, 2 * i + 1, PAGE);
    }
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 256, 0, RAM));
  }

  // ---- address spaces and channels ----

  @Test
  void vspaceMap_ofARegisteredBufferThatIsNotFull_einval() {
    int handle = register(2 * PAGE);
    list(RAM + PAGE, PAGE);
    succeed(GuestAbi.CALL_MEM_PAGES, pages(handle, 1, 0, RAM));
    refuse(
        Errno.EINVAL, GuestAbi.CALL_VSPACE_MAP, newSpace(), handle, 0, 0, 1L << 20, 1L << 30, 0L);
  }

  @Test
  void vspaceUnmap_ofNothing_enoent() {
    refuse(Errno.ENOENT, GuestAbi.CALL_VSPACE_UNMAP, newSpace(), 0, 0x1234L);
  }

  @ParameterizedTest
  @ValueSource(ints = {30, 255, -1})
  void fifoInitIb_badOrder_einval(int order) {
    refuse(Errno.EINVAL, GuestAbi.CALL_FIFO_INIT_IB, newChannel(), 0, 1, order, 0x20000000L);
  }

  @Test
  void chanQuery_ofANewChannel_tellsItsState() {
    MemorySegment args = succeed(GuestAbi.CALL_CHAN_QUERY, newChannel());
    assertThat(word(args, 4)).isEqualTo(GuestAbi.CHANNEL_NEW);
    assertThat(word(args, 8)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"8193, E2BIG", "-1, E2BIG", "1, EFAULT"})
  void setupSegment_badWords_isRefused(int words, String errno) {
    int channel = newChannel();
    refuse(Errno.valueOf(errno), GuestAbi.CALL_SETUP_SEGMENT, channel, words, RAM + RAM_BYTES);
  }

  @Test
  void setupSegment_notAligned_einval() {
    refuse(Errno.EINVAL, GuestAbi.CALL_SETUP_SEGMENT, newChannel(), 1, RAM + 2);
  }

  @Test
  void setupSegment_setAndTakenBack_succeeds() {
    int channel = newChannel();
    succeed(GuestAbi.CALL_SETUP_SEGMENT, channel, 8192, RAM);
    succeed(GuestAbi.CALL_SETUP_SEGMENT, channel, 0, 0L);
  }

  @Test
  void getParam_knownAndUnknown() {
    assertThat(succeed(GuestAbi.CALL_GET_PARAM, 11L, 0L).get(ValueLayout.JAVA_LONG, 8))
        .isEqualTo(0xc0);
    refuse(Errno.EINVAL, GuestAbi.CALL_GET_PARAM, 0x7777L, 0L);
  }

  @Test
  void quotaQuery_tellsUseAndLimit() {
    succeed(GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 8192L, 0L);
    MemorySegment args = succeed(GuestAbi.CALL_QUOTA_QUERY);
    assertThat(args.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(8192);
    assertThat(args.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(FakeGpu.APERTURE_BYTES);
  }

  /** A bug in a backend costs the guest one call, and nobody anything else. */
  @Test
  void call_thatRunsIntoABug_eio() {
    gpu.failure = new IllegalStateException("a bug");
    refuse(Errno.EIO, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 8192L, 0L);
    gpu.failure = null;
    succeed(GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 8192L, 0L);
  }
}
