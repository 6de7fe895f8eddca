package io.sluice.channel.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class SectionTest {
  private static byte[] bytesOf(Section section) {
    ByteBuffer buffer = ByteBuffer.allocate(section.sizeBytes());
    section.write(buffer);
    return buffer.array();
  }

  private static void assertRefused(byte[] bytes, String code) {
    assertThatThrownBy(() -> Section.read(ByteBuffer.wrap(bytes)))
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void read_everyBitFlipped_isRefused() {
    byte[] good = bytesOf(new Section(7, 3, new byte[] {1, 2, 3, 4, 5}));
    for (int bit = 0; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> Section.read(ByteBuffer.wrap(bad)))
          .as("bit %d", bit)
          .isInstanceOf(RefusedException.class);
    }
  }

  @Test
  void read_everyTruncation_isRefused() {
    byte[] good = bytesOf(new Section(7, 3, new byte[] {1, 2, 3, 4, 5}));
    for (int length = 0; length < good.length; length++) {
      assertRefused(java.util.Arrays.copyOf(good, length), "SLU-REC-003");
    }
  }

  @Test
  void read_lengthBeyondTheLimit_isRefusedBeforeAnythingIsAllocated() {
    for (int length : new int[] {SectionHeader.MAX_PAYLOAD_BYTES + 1, -1, Integer.MIN_VALUE}) {
      ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putInt(1).putInt(1).putInt(length).putInt(0);
      assertRefused(bytes.array(), "SLU-REC-002");
    }
  }

  @Test
  void constructor_idOrVersionZero_isRefused() {
    assertThatThrownBy(() -> new Section(0, 1, new byte[0])).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> new Section(1, 0, new byte[0])).isInstanceOf(RefusedException.class);
  }

  @Test
  void write_knownSection_hasTheseBytes() {
    // CRC-32C of "123456789" is e3069283; here over head and payload.
    byte[] bytes = bytesOf(new Section(0x11223344, 2, "sluice".getBytes()));
    assertThat(HexFormat.of().formatHex(bytes, 0, 12)).isEqualTo("443322110200000006000000");
    assertThat(HexFormat.of().formatHex(bytes, 16, 22)).isEqualTo("736c75696365");
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(words.getInt(12)).isEqualTo(bitwiseCrc32c(bytes));
  }

  /** CRC-32C bit by bit: reflected polynomial 0x82f63b78. */
  private static int bitwiseCrc32c(byte[] section) {
    int crc = -1;
    for (int i = 0; i < section.length; i++) {
      if (i >= 12 && i < 16) {
        continue;
      }
      crc ^= section[i] & 0xff;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? crc >>> 1 ^ 0x82f63b78 : crc >>> 1;
      }
    }
    return ~crc;
  }

  @Test
  void read_longestSection_comesBack() {
    Section longest = new Section(9, 1, new byte[SectionHeader.MAX_PAYLOAD_BYTES]);
    assertThat(Section.read(ByteBuffer.wrap(bytesOf(longest)))).isEqualTo(longest);
  }
}
