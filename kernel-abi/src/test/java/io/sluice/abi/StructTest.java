package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class StructTest {
  private static final class Aligned {
    private static final Struct S = Struct.aligned("aligned");
    static final U8 KIND = S.u8("kind", "one byte");
    static final U32 COUNT = S.u32("count", "a word behind three unused bytes");
    static final U16 PORT = S.u16("port", "two bytes");
    static final U64 BYTES = S.u64("bytes", "eight behind two");
    static final S32 FD = S.s32("fd", "with sign");
    static final Elements<U32> WORDS = S.u32s("words", 3, "an array");
    static final U8 LAST = S.u8("last", "makes the end uneven");
    static final StructLayout LAYOUT = S.layout();
  }

  private static final class Packed {
    private static final Struct S = Struct.packed("packed");
    static final U8 KIND = S.u8("kind", "one byte");
    static final U32 COUNT = S.u32("count", "a word right behind");
    static final U64 BYTES = S.pad(2).u64("bytes", "eight behind two unused");
    static final StructLayout LAYOUT = S.layout();
  }

  private final MemorySegment memory = Arena.ofAuto().allocate(128, 8);

  private static long offset(StructLayout layout, String field) {
    return layout.byteOffset(PathElement.groupElement(field));
  }

  @Test
  void aligned_hasTheHolesOfACompiler() {
    assertThat(Aligned.COUNT.offset()).isEqualTo(4).isEqualTo(offset(Aligned.LAYOUT, "count"));
    assertThat(Aligned.BYTES.offset()).isEqualTo(16).isEqualTo(offset(Aligned.LAYOUT, "bytes"));
    assertThat(Aligned.WORDS.offsetOf(2)).isEqualTo(36);
    assertThat(Aligned.LAST.offset()).isEqualTo(40).isEqualTo(offset(Aligned.LAYOUT, "last"));
    assertThat(Aligned.LAYOUT.byteSize()).isEqualTo(48);
    assertThat(Aligned.LAYOUT.byteAlignment()).isEqualTo(8);
  }

  @Test
  void packed_hasNone() {
    assertThat(Packed.COUNT.offset()).isEqualTo(1).isEqualTo(offset(Packed.LAYOUT, "count"));
    assertThat(Packed.BYTES.offset()).isEqualTo(7).isEqualTo(offset(Packed.LAYOUT, "bytes"));
    assertThat(Packed.LAYOUT.byteSize()).isEqualTo(15);
    Packed.BYTES.set(memory, 1, 0x1122334455667788L);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) 0x88);
    assertThat(Packed.BYTES.get(memory, 1)).isEqualTo(0x1122334455667788L);
  }

  @Test
  void unsigned_aboveTheSign_isPositive() {
    Aligned.KIND.set(memory, 0xff);
    Aligned.PORT.set(memory, 0xfffe);
    Aligned.COUNT.set(memory, 0xffff_fffdL);
    Aligned.FD.set(memory, -1);
    assertThat(Aligned.KIND.get(memory)).isEqualTo(0xff);
    assertThat(Aligned.PORT.get(memory)).isEqualTo(0xfffe);
    assertThat(Aligned.COUNT.get(memory)).isEqualTo(0xffff_fffdL);
    assertThat(Aligned.COUNT.bits(memory)).isEqualTo(-3);
    assertThat(Aligned.FD.get(memory)).isEqualTo(-1);
  }

  @Test
  void set_whatDoesNotFit_isRefusedAndStoresNothing() {
    Aligned.COUNT.set(memory, 7);
    assertThatThrownBy(() -> Aligned.KIND.set(memory, 0x100)).hasMessageContaining("field=kind");
    assertThatThrownBy(() -> Aligned.KIND.set(memory, -1)).hasMessageContaining("value=-1");
    assertThatThrownBy(() -> Aligned.PORT.set(memory, 0x1_0000)).hasMessageContaining("port");
    assertThatThrownBy(() -> Aligned.COUNT.set(memory, -1)).hasMessageContaining("count");
    assertThatThrownBy(() -> Aligned.COUNT.set(memory, 1L << 32)).hasMessageContaining("count");
    assertThat(Aligned.KIND.get(memory)).isZero();
    assertThat(Aligned.PORT.get(memory)).isZero();
    assertThat(Aligned.COUNT.get(memory)).isEqualTo(7);
  }

  @Test
  void elements_areFieldsOfTheirOwn() {
    Aligned.WORDS.at(1).set(memory, 8, 5);
    assertThat(memory.get(Layouts.U32, 8 + 32)).isEqualTo(5);
    assertThatThrownBy(() -> Aligned.WORDS.at(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Aligned.WORDS.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(Aligned.WORDS.slice(memory).byteSize()).isEqualTo(12);
  }

  @Test
  void release_isSeenByAcquire() {
    Aligned.COUNT.setRelease(memory, 48, 9);
    assertThat(Aligned.COUNT.bitsAcquire(memory, 48)).isEqualTo(9);
  }

  @Test
  void table_namesEveryFieldWithItsPlaceAndMeaning() {
    assertThat(Packed.S.table().lines())
        .containsExactly(
            "0x000     1  kind                     one byte",
            "0x001     4  count                    a word right behind",
            "0x007     8  bytes                    eight behind two unused");
  }
}
