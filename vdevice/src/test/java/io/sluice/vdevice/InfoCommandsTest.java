package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Kernel;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DEVICE_GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS, GET_IRQ_INFO. */
final class InfoCommandsTest extends ServerTest {
  private static final int SEALS = Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL;

  private static byte[] regionInfo(int argsz, int index) {
    return body(argsz, 0, index, 0, 0L, 0L);
  }

  // ---- GET_INFO ----

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 15, 4097})
  void info_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 4, new byte[bytes]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 15})
  void info_argszTooSmall_einval(int argsz) {
    refused(Errno.EINVAL, 4, body(argsz, 0, 0, 0));
  }

  @Test
  void info_ofTheDevice_isAResettablePciDevice() {
    ByteBuffer info = client.ok(4, body(16, 0, 0, 0));
    assertThat(info.getInt(0)).isEqualTo(16);
    assertThat(info.getInt(4)).isEqualTo(3);
    assertThat(info.getInt(8)).isEqualTo(9);
    assertThat(info.getInt(12)).isEqualTo(5);
  }

  /** SPDK sends as many bytes as it has room for the reply; libvfio-user's tests send 80. */
  @ParameterizedTest
  @CsvSource({"4, 16, 17", "4, 16, 4096", "5, 32, 64", "5, 32, 4064", "6, 16, 80", "7, 16, 4096"})
  void info_withPadding_isAnsweredAsWithout(int command, int bytes, int padded) {
    byte[] request = body(4096, 0, command == 7 ? 2 : 0, 0, 0L, 0L);
    ByteBuffer with = client.ok(command, Arrays.copyOf(request, padded));
    ByteBuffer without = client.ok(command, Arrays.copyOf(request, bytes));
    assertThat(with).isEqualTo(without);
  }

  // ---- GET_REGION_INFO ----

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 31, 4097})
  void regionInfo_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 5, new byte[bytes]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31})
  void regionInfo_argszTooSmall_einval(int argsz) {
    refused(Errno.EINVAL, 5, regionInfo(argsz, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10, 0x7fffffff, -1})
  void regionInfo_noSuchRegion_einval(int index) {
    refused(Errno.EINVAL, 5, regionInfo(32, index));
  }

  @ParameterizedTest
  @CsvSource({"0, 3, 0x4000", "3, 0, 0", "5, 0, 0", "6, 0, 0", "7, 3, 256", "8, 0, 0"})
  void regionInfo_ofTrappedOrAbsentRegion_hasNoDescriptor(int index, int flags, String size) {
    ByteBuffer info = client.ok(5, regionInfo(4096, index));
    assertThat(info.capacity()).isEqualTo(32);
    assertThat(info.getInt(0)).isEqualTo(32);
    assertThat(info.getInt(4)).isEqualTo(flags);
    assertThat(info.getInt(8)).isEqualTo(index);
    assertThat(info.getLong(16)).isEqualTo(Long.decode(size));
  }

  @ParameterizedTest
  @CsvSource({"1, 0x8000", "4, 0x80000"})
  void regionInfo_ofMappedRegion_bringsItsFile(int index, String size) {
    try (RawClient.Message reply = client.call(5, regionInfo(32, index))) {
      assertThat(reply.body().getInt(4)).isEqualTo(7);
      assertThat(reply.body().getLong(16)).isEqualTo(Long.decode(size));
      assertThat(reply.fds()).hasSize(1);
      assertThat(kernel.fstat(reply.fds().get(0)).sizeBytes()).isEqualTo(Long.decode(size));
    }
  }

  @Test
  void regionInfo_ofCallArea_isSealed() {
    try (RawClient.Message reply = client.call(5, regionInfo(32, 1))) {
      assertThat(kernel.getSeals(reply.fds().get(0))).isEqualTo(SEALS);
    }
  }

  @Test
  void regionInfo_ofSparseRegionWithoutRoom_tellsHowMuchIsNeeded() {
    ByteBuffer info = client.ok(5, regionInfo(32, 2));
    assertThat(info.capacity()).isEqualTo(32);
    assertThat(info.getInt(0)).isEqualTo(64);
    assertThat(info.getInt(4)).isEqualTo(15);
    assertThat(info.getInt(12)).isEqualTo(32); // QEMU wants an offset even here
    assertThat(info.getLong(16)).isEqualTo(4L << 20);
  }

  @Test
  void regionInfo_ofSparseRegion_namesTheAreaAndBringsTheFile() {
    try (RawClient.Message reply = client.call(5, regionInfo(64, 2))) {
      ByteBuffer info = reply.body();
      assertThat(info.capacity()).isEqualTo(64);
      assertThat(info.getInt(12)).isEqualTo(32); // capability offset
      assertThat(info.getShort(32)).isEqualTo((short) 1); // sparse mmap
      assertThat(info.getShort(34)).isEqualTo((short) 1);
      assertThat(info.getInt(36)).isZero();
      assertThat(info.getInt(40)).isEqualTo(1);
      assertThat(info.getLong(48)).isZero();
      assertThat(info.getLong(56)).isEqualTo(FakeGpu.APERTURE_BYTES);
      assertThat(reply.fds()).hasSize(1);
    }
  }

  // ---- GET_REGION_IO_FDS ----

  @ParameterizedTest
  @ValueSource(ints = {0, 15, 17})
  void regionIoFds_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 6, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({"15, 0, 0, 0", "16, 1, 0, 0", "16, 0, 0, 1", "16, 0, 9, 0", "16, 0, -1, 0"})
  void regionIoFds_badWords_einval(int argsz, int flags, int index, int count) {
    refused(Errno.EINVAL, 6, body(argsz, flags, index, count));
  }

  @Test
  void regionIoFds_ofAnyRegion_areNone() {
    ByteBuffer reply = client.ok(6, body(4096, 0, 0, 0));
    assertThat(reply.capacity()).isEqualTo(16);
    assertThat(reply.getInt(0)).isEqualTo(16);
    assertThat(reply.getInt(12)).isZero();
  }

  // ---- GET_IRQ_INFO ----

  @ParameterizedTest
  @ValueSource(ints = {0, 15, 17})
  void irqInfo_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 7, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({"15, 2", "16, 5", "16, -1", "16, 0x7fffffff"})
  void irqInfo_badWords_einval(int argsz, String index) {
    refused(Errno.EINVAL, 7, body(argsz, 0, Integer.decode(index), 0));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0", "1, 0, 0", "2, 1, 17", "3, 0, 0", "4, 0, 0"})
  void irqInfo_ofEachKind_onlyMsixHasVectors(int index, int flags, int count) {
    ByteBuffer info = client.ok(7, body(16, 0, index, 0));
    assertThat(info.getInt(4)).isEqualTo(flags);
    assertThat(info.getInt(8)).isEqualTo(index);
    assertThat(info.getInt(12)).isEqualTo(count);
  }
}
