package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field without sign of every structure: its largest number comes back as that number. */
final class FieldsTest {
  private static final int BYTES = 0x1_0000;

  static List<Field> fields() {
    List<Field> fields =
        Structs.classesOf(Struct.class).stream()
            .flatMap(type -> Stream.of(type.getDeclaredFields()))
            .filter(field -> Modifier.isStatic(field.getModifiers()))
            .filter(field -> field.getType() == U32.class || field.getType() == Elements.class)
            .toList();
    assertThat(fields).hasSizeGreaterThan(300);
    return fields;
  }

  @ParameterizedTest
  @MethodSource("fields")
  void set_largestNumber_isReadAsItself(Field field) throws IllegalAccessException {
    field.setAccessible(true);
    Object declared = field.get(null);
    if (declared instanceof Elements<?> array) {
      declared = array.at(array.count() - 1);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(BYTES, Long.BYTES);
      if (declared instanceof U32 word) {
        word.set(memory, 0xffff_ffffL);
        assertThat(word.get(memory)).isEqualTo(4_294_967_295L);
        assertThat(word.bits(memory)).isEqualTo(-1);
        assertThat(memory.get(Layouts.WIRE_U32, word.offset())).isEqualTo(-1);
      } else if (declared instanceof U8 octet) {
        octet.set(memory, 0xff);
        assertThat(octet.get(memory)).isEqualTo(255);
      }
    }
  }
}
