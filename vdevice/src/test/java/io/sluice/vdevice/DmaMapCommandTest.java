package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.dma.SharedFileCheck;
import io.sluice.vdevice.protocol.Limits;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DMA_MAP. */
final class DmaMapCommandTest extends ServerTest {
  private static final long MIB = 1 << 20;

  private static byte[] map(int flags, long offset, long iova, long size) {
    return body(32, flags, offset, iova, size);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 31, 4097})
  void map_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 2, new byte[bytes]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 31})
  void map_argszTooSmall_einval(int argsz) {
    refused(Errno.EINVAL, 2, body(argsz, 3, 0L, 0L, 4096L));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 7, 8, 0x80000003})
  void map_unknownOrNoFlags_einval(int flags) {
    refused(Errno.EINVAL, 2, map(flags, 0, 0, 4096));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0", // empty
    "1, 4096", // address not on a page
    "0, 4095",
    "8192, -4096", // wraps
    "-4096, 8192", // wraps
    "0x7ffffffffffff000, 0x7fffffffffffffff",
  })
  void map_badRange_einval(String iova, String size) {
    refused(Errno.EINVAL, 2, map(3, 0, Long.decode(iova), Long.decode(size)));
  }

  @Test
  void map_overAnother_eexist() {
    client.ok(2, map(3, 0, MIB, 4 * MIB));
    refused(Errno.EEXIST, 2, map(3, 0, MIB, 4 * MIB));
    refused(Errno.EEXIST, 2, map(3, 0, 4 * MIB, 4 * MIB));
    refused(Errno.EEXIST, 2, map(3, 0, 0, MIB + 4096));
    refused(Errno.EEXIST, 2, map(3, 0, 2 * MIB, 4096));
    refused(Errno.EEXIST, 2, map(3, 0, 0, 16 * MIB));
    client.ok(2, map(3, 0, 5 * MIB, MIB));
    client.ok(2, map(3, 0, 0, MIB));
  }

  @Test
  void map_twoDescriptors_einval() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      refused(Errno.EINVAL, 2, map(3, 0, 0, MIB), memory, memory);
    }
  }

  @Test
  void map_offsetNotOnAPage_einval() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      refused(Errno.EINVAL, 2, map(3, 100, 0, 4096), memory);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0x101000", "0x1000, 0x100000", "0x100000, 0x1000", "-4096, 4096"})
  void map_fileTooShort_einval(String offset, String size) {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      refused(Errno.EINVAL, 2, map(3, Long.decode(offset), 0, Long.decode(size)), memory);
    }
  }

  @Test
  void map_deviceFile_einval() {
    try (Fd device = kernel.open(Path.of("/dev/null"), Kernel.O_RDWR)) {
      refused(Errno.EINVAL, 2, map(3, 0, 0, 4096), device);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/proc", "/dev/shm"})
  void map_directory_einval(String path) {
    try (Fd directory = kernel.open(Path.of(path), 0)) {
      refused(Errno.EINVAL, 2, map(1, 0, 0, 4096), directory);
    }
  }

  @Test
  void map_eventfd_einval() {
    try (Fd event = kernel.eventfd(0, 0)) {
      refused(Errno.EINVAL, 2, map(3, 0, 0, 4096), event);
    }
  }

  @Test
  void map_socket_einval() {
    List<Fd> pair = kernel.socketpair();
    refused(Errno.EINVAL, 2, map(3, 0, 0, 4096), pair.get(0));
    pair.forEach(Fd::close);
  }

  @Test
  void map_fileOfAnotherFileSystem_einval() {
    try (Fd file = kernel.open(Path.of("/proc/self/status"), 0)) {
      refused(Errno.EINVAL, 2, map(1, 0, 0, 4096), file);
    }
  }

  @Test
  void map_fileThatCannotBeSealed_einval() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      kernel.addSeals(memory, Kernel.F_SEAL_SEAL);
      refused(Errno.EINVAL, 2, map(3, 0, 0, MIB), memory);
    }
  }

  @Test
  void map_tooMany_enospc() {
    client.okAll(
        2,
        LongStream.range(0, Limits.MAX_DMA_MAPS)
            .mapToObj(i -> map(3, 0, i * 8192L, 4096))
            .toList());
    refused(Errno.ENOSPC, 2, map(3, 0, 1L << 40, 4096));
    client.ok(3, body(24, 0, 0L, 4096L));
    client.ok(2, map(3, 0, 1L << 40, 4096));
  }

  @Test
  void map_beyondTheHeap_enospcAndNothingIsMapped() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      client.ok(2, map(3, 0, 0, 4096), memory);
      heapLimit = 2 * heap.bytes();
      client.ok(2, map(3, 0, 4096, 4096));
      refused(Errno.ENOSPC, 2, map(3, 0, MIB, 4096));
      refused(Errno.ENOSPC, 2, map(3, 0, MIB, 4096), memory);
      assertThat(share.used().maps()).isEqualTo(1);
      client.ok(3, body(24, 0, 4096L, 4096L));
      client.ok(2, map(3, 0, MIB, 4096), memory);
      assertThat(heap.bytes()).isEqualTo(heapLimit);
    }
  }

  /** A file of 64 TiB costs a client nothing, and mapping it takes the addresses of all. */
  @Test
  void map_moreThanTheGuestMay_edquotAndNothingIsMapped() {
    try (Fd sparse = kernel.memfdCreate("sparse", 1L << 46);
        Fd memory = kernel.memfdCreate("ram", MIB)) {
      refused(Errno.EDQUOT, 2, map(3, 0, 0, 1L << 46), sparse);
      refused(Errno.EDQUOT, 2, map(3, 4096, 1L << 50, (1L << 46) - 4096), sparse);
      client.ok(2, map(3, 0, 0, MIB), memory);
      client.ok(2, map(3, 0, MIB, (1L << 40) - MIB), sparse);
      refused(Errno.EDQUOT, 2, map(3, 0, 1L << 50, 4096), memory);
      client.ok(3, body(24, 0, 0L, MIB));
      client.ok(2, map(3, 0, 1L << 50, 4096), memory);
      assertThat(share.used()).isEqualTo(new MapLimits((1L << 40) - MIB + 4096, 2));
    }
  }

  @Test
  void map_gpuRefuses_takesNothingOfTheBudget() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      gpu.failure = new RefusedException("SLU-TST-003", Errno.ENOMEM, "no region", "");
      refused(Errno.ENOMEM, 2, map(3, 0, 0, MIB), memory);
      gpu.failure = null;
      assertThat(share.used()).isEqualTo(new MapLimits(0, 0));
      assertThat(heap.bytes()).isZero();
      client.ok(2, map(3, 0, 0, MIB), memory);
      assertThat(share.used()).isEqualTo(new MapLimits(MIB, 1));
    }
  }

  /** A file system of the client's answers fstat when it likes; the kernel alone answers this. */
  @Test
  void check_fileThatCannotBeSealed_isAskedNothingElse() {
    FakeKernel fake = new FakeKernel();
    try (Fd file = fake.plainFile("fuse", MIB, 0x65735546)) {
      assertThatThrownBy(() -> SharedFileCheck.check(fake, file, 0, MIB))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
    assertThat(fake.count("getSeals")).isEqualTo(1);
    assertThat(fake.count("fstat")).isZero();
    assertThat(fake.count("fileSystemType")).isZero();
  }

  /** mmap takes the addresses of whole pages, so a budget of bytes has to count those. */
  @ParameterizedTest
  @CsvSource({"0, 0x1000, 1", "0x1ff000, 0x2000, 2", "0x200000, 0x200000, 1", "0, 0x601000, 4"})
  void check_partsOfHugePages_countWhole(String offset, String size, int pages) {
    FakeKernel fake = new FakeKernel();
    try (Fd file = fake.hugeFile("huge", 8 * MIB)) {
      assertThat(SharedFileCheck.check(fake, file, Long.decode(offset), Long.decode(size)))
          .isEqualTo(pages * 2 * MIB);
    }
  }

  @Test
  void check_smallPages_countAsTheyAre() {
    FakeKernel fake = new FakeKernel();
    try (Fd file = fake.memfdCreate("small", MIB)) {
      assertThat(SharedFileCheck.check(fake, file, 4096, 8192)).isEqualTo(8192);
    }
  }

  @Test
  void map_withDescriptor_cannotBeTruncatedAfterwards() throws IOException {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      Path path = Path.of("/proc/self/fd/" + memory.number());
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        client.ok(2, map(3, 4096, MIB, MIB - 4096), memory);
        assertThatThrownBy(() -> file.truncate(MIB / 2)).isInstanceOf(IOException.class);
      }
      assertThat(kernel.fstat(memory).sizeBytes()).isEqualTo(MIB);
    }
    assertThat(gpu.last().regions).containsExactly("offset=4096 size=1044480 writable=true");
  }

  @Test
  void map_readOnly_isReadOnlyForTheGpu() {
    try (Fd memory = kernel.memfdCreate("ram", MIB)) {
      client.ok(2, map(1, 0, 0, MIB), memory);
    }
    assertThat(gpu.last().regions).containsExactly("offset=0 size=1048576 writable=false");
  }

  @Test
  void map_withoutDescriptor_isRecordedAndNoMemoryOfTheGpu() {
    client.ok(2, map(3, 0, MIB, MIB));
    assertThat(session.dma().size()).isEqualTo(1);
    assertThat(gpu.last().regions).isEmpty();
  }

  @Test
  void map_largerArgsz_isAccepted() {
    client.ok(2, body(48, 3, 0L, 0L, 4096L));
  }

  /** A client whose structure is longer than ours, as libvfio-user's server takes it. */
  @Test
  void map_padded_isAcceptedAndThePaddingNotLookedAt() {
    client.ok(2, body(48, 3, 0L, 0L, 4096L, -1L, -1L));
    client.ok(2, body(32, 3, 0L, 4096L, 4096L, -1L)); // no room for a longer reply
    refused(Errno.EINVAL, 2, body(31, 3, 0L, 8192L, 4096L, -1L));
    refused(Errno.EEXIST, 2, body(48, 3, 0L, 0L, 4096L, 0L, 0L));
    assertThat(session.dma().size()).isEqualTo(2);
  }

  @Test
  void map_atTheEndOfTheAddressSpace_works() {
    client.ok(2, map(3, 0, -4096, 4096));
    refused(Errno.EEXIST, 2, map(3, 0, -4096, 4096));
  }
}
