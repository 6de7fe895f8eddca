package io.sluice.gpu;

import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CopyEngineTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int SUBCHANNEL = 3;
  private static final int LINEAR = 1 << 4 | 1 << 8;
  private static final int QUERY = 1 << 12;
  private static final int SHORT = 1 << 13;
  private static final int BYTES = 256 << 10;

  private final Rig rig = new Rig();
  private final Client client = rig.open();
  private final int vid = client.vspaceNew();
  private final GuestChannel channel = client.channel(vid);
  private final Client.Memory source = client.memory(vid, PscnvGem.VRAM_SMALL, BYTES);
  private final Client.Memory target = client.memory(vid, PscnvGem.VRAM_LARGE, BYTES);
  private final Client.Memory fence = client.memory(vid, PscnvGem.SYSRAM_SNOOP, 4096);

  @BeforeEach
  void bind() {
    for (int i = 0; i < BYTES; i++) {
      source.bytes().set(BYTE, i, (byte) (i * 3 + (i >> 7)));
    }
    channel.submit(one(SUBCHANNEL, 0, 0x490b5));
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private static int[] copy(long from, long to, int pitch, int x, int y) {
    return new int[] {
      increasing(SUBCHANNEL, 0x30c, 8),
      (int) (from >>> 32),
      (int) from,
      (int) (to >>> 32),
      (int) to,
      pitch,
      pitch,
      x,
      y
    };
  }

  private int[] query(long offset, int counter) {
    long address = fence.va() + offset;
    return new int[] {
      increasing(SUBCHANNEL, 0x338, 3), (int) (address >>> 32), (int) address, counter
    };
  }

  private static int[] exec(int flags) {
    return one(SUBCHANNEL, 0x300, flags);
  }

  private void run(int[]... words) {
    channel.submit(join(words));
    rig.run();
  }

  private void assertFirmwareError(int code, int method) {
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_ENGINE);
    assertThat(channel.info()).isEqualTo(code);
    assertThat(channel.faultAddress()).isEqualTo(method);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x104, 0x21c, 0x23c, 0x308, 0x344, 0x400, 0x418})
  void method_thatTheFirmwareDoesNotHave_isError1(int method) {
    run(one(SUBCHANNEL, method, 0));
    assertFirmwareError(1, method);
  }

  @ParameterizedTest
  @CsvSource({
    "0x31c, 0x80000",
    "0x320, 0x80000",
    "0x324, 0x10000",
    "0x328, 0x2000",
    "0x30c, 0x100",
    "0x314, 0x100",
    "0x338, 0x100",
    "0x300, 0x4000",
    "0x300, 0x112"
  })
  void method_valueOutsideItsField_isError3(int method, int value) {
    run(one(SUBCHANNEL, method, value));
    assertFirmwareError(3, method);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1 << 4, 1 << 8, LINEAR | 1})
  void exec_tiledOrSwizzled_isUnsupported(int flags) {
    run(exec(flags));
    assertThat(channel.reason()).isEqualTo(GuestAbi.ERROR_UNSUPPORTED);
  }

  @Test
  void exec_unmapped_isAFaultOfThisEngine() {
    run(copy(0x1000, target.va(), 16, 16, 1), exec(LINEAR));
    assertThat(channel.info()).isEqualTo(0x15 << 16);
  }

  @Test
  void exec_unmappedOnTheSecondEngine_namesThatOne() {
    int[] words =
        join(one(4, 0, 0x590b8), one(4, 0x324, 16), one(4, 0x328, 1), one(4, 0x300, LINEAR));
    run(words);
    assertThat(channel.info()).isEqualTo(0x16 << 16);
  }

  @Test
  void exec_bodyAndRemainder_queryStandsBetweenThem() {
    int line = 0x8000;
    run(query(4, 77), copy(source.va(), target.va(), line, line, 3), exec(LINEAR | QUERY | SHORT));
    assertThat(fence.bytes().get(INT, 4)).isEqualTo(77);
    assertThat(fence.bytes().get(INT, 8)).isZero();
    assertThat(target.bytes().asSlice(0, 3 * line).mismatch(source.bytes().asSlice(0, 3 * line)))
        .isEqualTo(-1);
    assertThat(target.bytes().get(BYTE, 3 * line)).isZero();
    run(copy(source.va() + 3 * line, target.va() + 3 * line, line, 100, 1), exec(LINEAR));
    assertThat(
            target
                .bytes()
                .asSlice(0, 3 * line + 100)
                .mismatch(source.bytes().asSlice(0, 3 * line + 100)))
        .isEqualTo(-1);
  }

  @Test
  void exec_longQuery_carriesTheTime() {
    run(query(16, 5), exec(LINEAR | QUERY));
    assertThat(fence.bytes().get(INT, 16)).isEqualTo(5);
    assertThat(fence.bytes().get(INT, 24)).isEqualTo(9_000_000);
  }

  @Test
  void method_withoutEffect_goesOn() {
    run(one(SUBCHANNEL, 0x100, 1), one(SUBCHANNEL, 0x140, 1), one(SUBCHANNEL, 0x304, 1));
    run(one(SUBCHANNEL, 0x32c, -1), one(0, 0x50, 3));
    assertThat(channel.reference()).isEqualTo(3);
  }

  @Test
  void engines_twoOfThem_keepTheirStateApart() {
    channel.submit(one(4, 0, 0x590b8));
    run(copy(source.va(), target.va(), 64, 64, 1), one(4, 0x324, 7), exec(LINEAR));
    assertThat(target.bytes().get(BYTE, 63)).isEqualTo(source.bytes().get(BYTE, 63));
  }
}
