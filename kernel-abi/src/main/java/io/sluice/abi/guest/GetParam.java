package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of GET_PARAM. {@code struct sluice_get_param}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u64      param            in: pscnv parameter id, GPC index in the upper half
 *   0x08  u64      value            out
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class GetParam {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_LONG.withName("param"), ValueLayout.JAVA_LONG.withName("value"))
          .withName("sluice_get_param");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle PARAM = LAYOUT.varHandle(groupElement("param"));
  private static final VarHandle VALUE = LAYOUT.varHandle(groupElement("value"));

  private GetParam() {}

  /** {@code param}: In: pscnv parameter id, GPC index in the upper half. */
  public static long param(MemorySegment segment, long offset) {
    return (long) PARAM.get(segment, offset);
  }

  /** Sets {@code param}. */
  public static void param(MemorySegment segment, long offset, long value) {
    PARAM.set(segment, offset, value);
  }

  /** {@code value}: Out. */
  public static long value(MemorySegment segment, long offset) {
    return (long) VALUE.get(segment, offset);
  }

  /** Sets {@code value}. */
  public static void value(MemorySegment segment, long offset, long value) {
    VALUE.set(segment, offset, value);
  }
}
