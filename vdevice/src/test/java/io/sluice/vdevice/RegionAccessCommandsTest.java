package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.vdevice.protocol.Limits;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** REGION_READ, REGION_WRITE, REGION_WRITE_MULTI. */
final class RegionAccessCommandsTest extends ServerTest {
  private static final int CONFIG = 7;
  private static final int CALLS = 1;
  private static final int VRAM = 2;

  private static byte[] write(int region, long offset, byte[] data) {
    return body(offset, region, data.length, data);
  }

  private static byte[] one(long offset, int region, int count, long data) {
    return body(offset, region, count, data);
  }

  // ---- REGION_READ ----

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 15, 17, 20})
  void read_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 9, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 9, 4", // no such region
    "0, -1, 4",
    "0, 3, 4", // absent
    "0, 6, 4",
    "0, 0, 0", // nothing
    "0, 0, -1",
    "0, 0, 0x4001",
    "0x4000, 0, 4",
    "0x3ffd, 0, 4",
    "-4, 0, 4",
    "0x7fffffffffffffff, 0, 4",
    "253, 7, 4",
    "0, 2, 0x40001", // more than a message may carry
    "0x3ffffe, 2, 4",
  })
  void read_outside_einval(String offset, int region, String count) {
    refused(Errno.EINVAL, 9, body(Long.decode(offset), region, Integer.decode(count)));
  }

  @Test
  void read_ofRegister_echoesWhatWasAskedAndTheValue() {
    ByteBuffer reply = client.ok(9, body(0L, 0, 4));
    assertThat(reply.capacity()).isEqualTo(20);
    assertThat(reply.getLong(0)).isZero();
    assertThat(reply.getInt(12)).isEqualTo(4);
    assertThat(reply.getInt(16)).isEqualTo(GuestAbi.MAGIC);
  }

  @Test
  void read_ofWholeConfigSpace_asQemuDoes() {
    ByteBuffer reply = client.ok(9, body(0L, CONFIG, 256));
    assertThat(reply.getInt(16)).isEqualTo(0x10f01af4);
    assertThat(reply.get(16 + 0x3d)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 0x53", "1, 2, 0x554c", "3, 1, 0x43"})
  void read_ofPartOfARegister_isCutFromIt(long offset, int count, String expected) {
    ByteBuffer reply = client.ok(9, body(offset, 0, count));
    int value = 0;
    for (int i = 0; i < count; i++) {
      value |= (reply.get(16 + i) & 0xff) << 8 * i;
    }
    assertThat(value).isEqualTo(Integer.decode(expected));
  }

  @Test
  void read_ofAllRegisters_givesEachItsValue() {
    ByteBuffer reply = client.ok(9, body(0L, 0, 0x4000));
    assertThat(reply.getInt(16 + GuestAbi.REG_VERSION)).isEqualTo(0x10000);
    assertThat(reply.getInt(16 + GuestAbi.REG_CAPS_LO)).isEqualTo(0x3d);
    assertThat(reply.getInt(16 + GuestAbi.REG_NUM_SLOTS)).isEqualTo(64);
    assertThat(reply.getInt(16 + GuestAbi.REG_NUM_VECTORS)).isEqualTo(17);
    assertThat(reply.getInt(16 + GuestAbi.REG_NUM_CHANNELS)).isEqualTo(128);
    assertThat(reply.getInt(16 + GuestAbi.REG_VRAM_LO)).isEqualTo((int) FakeGpu.APERTURE_BYTES);
    assertThat(reply.getInt(16 + GuestAbi.REG_GPC_COUNT)).isEqualTo(4);
    assertThat(reply.getInt(16 + GuestAbi.REG_TP_COUNT + 12)).isEqualTo(3);
    assertThat(reply.getInt(16 + GuestAbi.REG_PTIMER_LO)).isEqualTo(2);
    assertThat(reply.getInt(16 + GuestAbi.REG_PTIMER_HI)).isEqualTo(1);
    assertThat(reply.getInt(16 + 0x100)).isZero();
    assertThat(reply.getInt(16 + GuestAbi.BAR0_MSIX_TABLE + 12)).isEqualTo(1); // masked
  }

  @Test
  void read_behindTheApertureMemory_isOnes() {
    assertThat(client.read32(VRAM, FakeGpu.APERTURE_BYTES)).isEqualTo(-1);
    ByteBuffer reply = client.ok(9, body(FakeGpu.APERTURE_BYTES - 4, VRAM, 8));
    assertThat(reply.getLong(16)).isEqualTo(0xffff_ffff_0000_0000L);
  }

  // ---- REGION_WRITE ----

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 15, 16})
  void write_wrongLength_einval(int bytes) {
    refused(Errno.EINVAL, 10, new byte[bytes]);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 9, 4",
    "0, -1, 4",
    "0, 3, 4",
    "0x4000, 0, 4",
    "0x3ffd, 0, 4",
    "-4, 0, 4",
    "254, 7, 4",
  })
  void write_outside_einval(String offset, int region, int count) {
    refused(Errno.EINVAL, 10, body(Long.decode(offset), region, count, new byte[count]));
  }

  @ParameterizedTest
  @CsvSource({"4, 3", "4, 5", "0, 4", "-1, 4", "0x7fffffff, 4"})
  void write_countThatIsNotTheData_einval(String count, int bytes) {
    refused(Errno.EINVAL, 10, body(0L, CALLS, Integer.decode(count), new byte[bytes]));
  }

  @Test
  void write_ofReadOnlyRegister_isIgnored() {
    client.write32(0, GuestAbi.REG_MAGIC, 0);
    client.ok(10, write(0, 1, new byte[3]));
    assertThat(client.read32(0, 0)).isEqualTo(GuestAbi.MAGIC);
  }

  @Test
  void write_ofMappedRegion_isSeenThroughTheMapping() {
    byte[] request = body(32, 0, CALLS, 0, 0L, 0L);
    try (RawClient.Message reply = client.call(5, request);
        Mapping mapping =
            kernel.mmap(reply.fds().get(0), 0, 0x8000, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      client.write32(CALLS, 0x7ffc, 0x12345678);
      client.ok(10, write(CALLS, 0x7ff0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
      client.ok(10, write(CALLS, 0x7fe1, new byte[] {9, 10, 11}));
      assertThat(mapping.segment().get(ValueLayout.JAVA_INT, 0x7ffc)).isEqualTo(0x12345678);
      assertThat(mapping.segment().get(ValueLayout.JAVA_LONG, 0x7ff0))
          .isEqualTo(0x0807060504030201L);
      assertThat(mapping.segment().get(ValueLayout.JAVA_INT, 0x7fe0)).isEqualTo(0x0b0a0900);
    }
    assertThat(client.ok(9, body(0x7ff0L, CALLS, 8)).getLong(16)).isEqualTo(0x0807060504030201L);
  }

  @Test
  void write_behindTheApertureMemory_isDropped() {
    client.write32(VRAM, FakeGpu.APERTURE_BYTES, 5);
    client.ok(10, write(VRAM, FakeGpu.APERTURE_BYTES - 2, new byte[] {1, 2, 3, 4}));
    assertThat(client.read32(VRAM, FakeGpu.APERTURE_BYTES)).isEqualTo(-1);
    assertThat(client.read32(VRAM, FakeGpu.APERTURE_BYTES - 4)).isEqualTo(0x02010000);
  }

  @Test
  void write_posted_isDoneAndNotAnswered() {
    client.send(10, RawClient.NO_REPLY, body(0x10L, CONFIG, 4, -1));
    assertThat(client.read32(CONFIG, 0x10)).isEqualTo(0xffffc000);
  }

  @Test
  void write_ofAsMuchAsAMessageMayCarry_works() {
    client.ok(10, write(VRAM, 0, new byte[Limits.MAX_DATA_BYTES]));
    assertThat(client.ok(9, body(0L, VRAM, Limits.MAX_DATA_BYTES)).capacity())
        .isEqualTo(16 + Limits.MAX_DATA_BYTES);
  }

  @Test
  void write_ofMsixTable_isKeptAndTheVectorControlHasOneBit() {
    client.write32(0, GuestAbi.BAR0_MSIX_TABLE + 16, 0xfee00000);
    client.write32(0, GuestAbi.BAR0_MSIX_TABLE + 28, -2);
    assertThat(client.read32(0, GuestAbi.BAR0_MSIX_TABLE + 16)).isEqualTo(0xfee00000);
    assertThat(client.read32(0, GuestAbi.BAR0_MSIX_TABLE + 28)).isZero();
    client.write32(0, GuestAbi.BAR0_MSIX_PBA, -1);
    assertThat(client.read32(0, GuestAbi.BAR0_MSIX_PBA)).isZero();
  }

  // ---- REGION_WRITE_MULTI ----

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 9, 20, 31, 33})
  void writeMulti_wrongLength_einval(int bytes) {
    byte[] request = new byte[bytes];
    if (bytes > 0) {
      request[0] = 1;
    }
    refused(Errno.EINVAL, 15, request);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2", "257", "-1", "0x1000000000000000", "0x0aaaaaaaaaaaaaab"})
  void writeMulti_countThatIsNotTheData_einval(String count) {
    refused(Errno.EINVAL, 15, body(Long.decode(count), one(0, CALLS, 4, 0)));
  }

  @ParameterizedTest
  @CsvSource({"0, 9, 4", "0, 1, 9", "0, 1, 0", "0, 1, -1", "0x8000, 1, 4", "-8, 1, 8"})
  void writeMulti_oneBadWrite_einvalAndNoneIsDone(String offset, int region, int count) {
    byte[] request =
        body(2L, one(0x7ff0, CALLS, 4, 77), one(Long.decode(offset), region, count, 0));
    refused(Errno.EINVAL, 15, request);
    assertThat(client.read32(CALLS, 0x7ff0)).isZero();
  }

  @Test
  void writeMulti_ofSeveral_doesThemInOrder() {
    ByteBuffer reply =
        client.ok(
            15,
            body(
                3L,
                one(0x7ff0, CALLS, 8, 0x1111_1111_1111_1111L),
                one(0x7ff0, CALLS, 4, 0x2222_2222L),
                one(0x7ff0, CALLS, 1, 0x33L)));
    assertThat(reply.getLong(0)).isEqualTo(3);
    assertThat(client.ok(9, body(0x7ff0L, CALLS, 8)).getLong(16)).isEqualTo(0x1111_1111_2222_2233L);
  }

  @Test
  void writeMulti_ofNone_isAnswered() {
    assertThat(client.ok(15, body(0L)).getLong(0)).isZero();
  }

  @Test
  void writeMulti_posted_isNotAnswered() {
    client.send(15, RawClient.NO_REPLY, body(1L, one(0x7ff0, CALLS, 4, 5)));
    assertThat(client.read32(CALLS, 0x7ff0)).isEqualTo(5);
  }
}
