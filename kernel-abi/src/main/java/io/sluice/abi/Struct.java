package io.sluice.abi;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/**
 * The declaration of a C structure: its fields in order, each with its meaning. What is added last
 * stands behind all others. Kept in a {@code static final} of the class that stands for the
 * structure, as its fields are, so that the JIT sees constants. A field that nobody names has its
 * place and its meaning, but no constant.
 *
 * <p>An {@linkplain #aligned aligned} structure has the holes that a C compiler leaves, and fields
 * that allow atomic access: shared memory and arguments of ioctls. A {@linkplain #packed packed}
 * one has none and may stand at any offset: messages.
 */
public final class Struct {
  private record Member(long offset, long bytes, String name, String meaning) {}

  private final String name;
  private final boolean packed;
  private final List<MemoryLayout> layouts = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private long end;
  private long alignment = 1;

  private Struct(String name, boolean packed) {
    this.name = name;
    this.packed = packed;
  }

  /** A structure with natural alignment. */
  public static Struct aligned(String name) {
    return new Struct(name, false);
  }

  /** A structure without holes. */
  public static Struct packed(String name) {
    return new Struct(name, true);
  }

  /** Adds 8 bits. */
  public U8 u8(String field, String meaning) {
    return new U8(field, add(field, Layouts.U8, meaning), Layouts.U8.varHandle());
  }

  /** Adds 16 bits. */
  public U16 u16(String field, String meaning) {
    ValueLayout layout = packed ? Layouts.WIRE_U16 : Layouts.U16;
    return new U16(field, add(field, layout, meaning), layout.varHandle());
  }

  /** Adds 32 bits. */
  public U32 u32(String field, String meaning) {
    return new U32(field, add(field, word(), meaning), word().varHandle());
  }

  /** Adds 32 bits with sign. */
  public S32 s32(String field, String meaning) {
    return new S32(field, add(field, word(), meaning), word().varHandle());
  }

  /** Adds 64 bits. */
  public U64 u64(String field, String meaning) {
    return new U64(field, add(field, longWord(), meaning), longWord().varHandle());
  }

  /** Adds an array of bytes. */
  public Elements<U8> bytes(String field, int count, String meaning) {
    VarHandle handle = Layouts.U8.varHandle();
    return array(field, count, Layouts.U8, meaning, at -> new U8(field, at, handle));
  }

  /** Adds an array of 32 bits each. */
  public Elements<U32> u32s(String field, int count, String meaning) {
    VarHandle handle = word().varHandle();
    return array(field, count, word(), meaning, at -> new U32(field, at, handle));
  }

  /** Adds an array of 64 bits each. */
  public Elements<U64> u64s(String field, int count, String meaning) {
    VarHandle handle = longWord().varHandle();
    return array(field, count, longWord(), meaning, at -> new U64(field, at, handle));
  }

  /** Adds an array of structures; the elements are their offsets. */
  public Elements<Long> structs(String field, int count, StructLayout of, String meaning) {
    return array(field, count, of, meaning, Long::valueOf);
  }

  /** Adds 8 bits that nobody here names: they keep the others in their places. */
  public Struct unused8(String field, String meaning) {
    return unused(field, Layouts.U8, meaning);
  }

  /** Adds 16 bits that nobody here names. */
  public Struct unused16(String field, String meaning) {
    return unused(field, packed ? Layouts.WIRE_U16 : Layouts.U16, meaning);
  }

  /** Adds 32 bits that nobody here names. */
  public Struct unused32(String field, String meaning) {
    return unused(field, word(), meaning);
  }

  /** Adds 64 bits that nobody here names. */
  public Struct unused64(String field, String meaning) {
    return unused(field, longWord(), meaning);
  }

  /** Adds an array of 64 bits each that nobody here names. */
  public Struct unused64s(String field, int count, String meaning) {
    return unused(field, MemoryLayout.sequenceLayout(count, longWord()), meaning);
  }

  /** Adds an array of bytes, or a structure, that nobody here names. */
  public Struct unusedBytes(String field, int count, String meaning) {
    return unused(field, MemoryLayout.sequenceLayout(count, Layouts.U8), meaning);
  }

  /** Adds bytes without a name. */
  public Struct pad(long bytes) {
    layouts.add(MemoryLayout.paddingLayout(bytes));
    end += bytes;
    return this;
  }

  /** The layout, with the names of the C structure; nothing is added afterwards. */
  public StructLayout layout() {
    alignTo(alignment);
    return MemoryLayout.structLayout(layouts.toArray(MemoryLayout[]::new)).withName(name);
  }

  /** The table of the fields: offset, bytes, name, meaning. */
  public String table() {
    StringBuilder text = new StringBuilder();
    for (Member member : members) {
      text.append(
          String.format(
              Locale.ROOT,
              "0x%03x %5d  %-24s %s%n",
              member.offset,
              member.bytes,
              member.name,
              member.meaning));
    }
    return text.toString();
  }

  /**
   * A number that fits its field.
   *
   * @throws IllegalArgumentException for any other
   */
  static long fitting(String field, long value, long most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(
          "does not fit the field, field=" + field + ", value=" + value + ", most=" + most);
    }
    return value;
  }

  private Struct unused(String field, MemoryLayout layout, String meaning) {
    add(field, layout, meaning);
    return this;
  }

  private ValueLayout.OfInt word() {
    return packed ? Layouts.WIRE_U32 : Layouts.U32;
  }

  private ValueLayout.OfLong longWord() {
    return packed ? Layouts.WIRE_U64 : Layouts.U64;
  }

  private <F> Elements<F> array(
      String field, int count, MemoryLayout element, String meaning, LongFunction<F> of) {
    long offset = add(field, MemoryLayout.sequenceLayout(count, element), meaning);
    return new Elements<>(field, offset, element.byteSize(), count, of);
  }

  private long add(String field, MemoryLayout layout, String meaning) {
    alignTo(layout.byteAlignment());
    alignment = Math.max(alignment, layout.byteAlignment());
    layouts.add(layout.withName(field));
    members.add(new Member(end, layout.byteSize(), field, meaning));
    long offset = end;
    end += layout.byteSize();
    return offset;
  }

  private void alignTo(long bytes) {
    long hole = -end & bytes - 1;
    if (hole > 0) {
      pad(hole);
    }
  }
}
