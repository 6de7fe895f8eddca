package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class FieldCodecTest {
  private static FieldReader reader(byte[] bytes) {
    return new FieldReader(
        ByteBuffer.wrap(bytes), (damage, what) -> new IllegalStateException(damage + ": " + what));
  }

  private static void refused(byte[] bytes, String how, Consumer<FieldReader> reading) {
    assertThatThrownBy(() -> reading.accept(reader(bytes)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(how);
  }

  private static byte[] words(int... values) {
    FieldWriter out = new FieldWriter();
    for (int value : values) {
      out.bits(value);
    }
    return out.toBytes();
  }

  @Test
  void record_ofEveryField_comesBack() {
    byte[] bytes =
        new FieldWriter()
            .bits(-2)
            .bits(-1)
            .u64(Long.MIN_VALUE)
            .flag(true)
            .flag(false)
            .optional(OptionalLong.empty())
            .optional(OptionalLong.of(7))
            .text("\u00fcber")
            .raw(ByteBuffer.wrap(new byte[] {1, 2}))
            .toBytes();
    FieldReader in = reader(bytes);
    assertThat(in.bits()).isEqualTo(-2);
    assertThat(in.u32()).isEqualTo(0xffff_ffffL);
    assertThat(in.u64()).isEqualTo(Long.MIN_VALUE);
    assertThat(in.flag()).isTrue();
    assertThat(in.flag()).isFalse();
    assertThat(in.optional()).isEmpty();
    assertThat(in.optional()).hasValue(7);
    assertThat(in.text(5)).isEqualTo("\u00fcber");
    assertThat(in.rest().get(1)).isEqualTo((byte) 2);
    in.end();
  }

  @Test
  void part_hasItsBytesAndNoMore() {
    FieldReader in = reader(words(1, 2, 3));
    FieldReader part = in.part(8);
    assertThat(in.bits()).isEqualTo(3);
    assertThat(part.bits()).isEqualTo(1);
    assertThat(part.bits()).isEqualTo(2);
    assertThatThrownBy(part::bits).hasMessageContaining("shorter than its layout");
    assertThatThrownBy(() -> reader(words(1)).part(5)).hasMessageContaining("shorter");
  }

  @Test
  void bytes_areLittleEndian() {
    assertThat(words(0x04030201)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void fields_cutOff_areRefused() {
    refused(new byte[3], "CUT_OFF", FieldReader::bits);
    refused(new byte[7], "CUT_OFF", FieldReader::u64);
    refused(words(5, 0), "CUT_OFF", in -> in.bytes(100));
    refused(words(2, 0), "CUT_OFF", in -> in.count(100, 4));
    refused(new byte[3], "CUT_OFF", in -> in.raw(4));
  }

  @Test
  void flag_thatIsNeither_isRefused() {
    refused(words(2), "VALUE", FieldReader::flag);
    refused(words(-1), "VALUE", FieldReader::flag);
  }

  @Test
  void count_aboveItsLimit_isRefusedHoweverLarge() {
    refused(words(4, 0, 0), "VALUE", in -> in.count(3, 1));
    refused(words(-1, 0), "VALUE", in -> in.count(Integer.MAX_VALUE, 1));
    refused(words(Integer.MAX_VALUE), "CUT_OFF", in -> in.count(Integer.MAX_VALUE, 1 << 30));
  }

  @Test
  void version_thatNobodyKnows_isRefused() {
    assertThat(reader(words(2)).version(2)).isEqualTo(2);
    refused(words(0), "VALUE", in -> in.version(2));
    refused(words(3), "VALUE", in -> in.version(2));
    refused(words(-1), "VALUE", in -> in.version(2));
  }

  @Test
  void text_thatIsNotUtf8_isRefused() {
    refused(new FieldWriter().bytes(new byte[] {(byte) 0xff}).toBytes(), "VALUE", in -> in.text(9));
  }

  @Test
  void end_beforeTheLastByte_isRefused() {
    refused(new byte[1], "TOO_LONG", FieldReader::end);
  }
}
