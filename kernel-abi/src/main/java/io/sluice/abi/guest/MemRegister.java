package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of MEM_REGISTER. {@code struct sluice_mem_register}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      flags            in: pscnv GEM flags; SYSRAM memory types
 *   0x04  u32      cookie           in
 *   0x08  u64      size             in: bytes, a multiple of 4096
 *   0x10  u32      handle           out
 *   0x14  u32      pad
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class MemRegister {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("flags"),
              ValueLayout.JAVA_INT.withName("cookie"),
              ValueLayout.JAVA_LONG.withName("size"),
              ValueLayout.JAVA_INT.withName("handle"),
              ValueLayout.JAVA_INT.withName("pad"))
          .withName("sluice_mem_register");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FLAGS = LAYOUT.varHandle(groupElement("flags"));
  private static final VarHandle COOKIE = LAYOUT.varHandle(groupElement("cookie"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(groupElement("size"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));

  private MemRegister() {}

  /** {@code flags}: In: pscnv GEM flags; SYSRAM memory types. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@code flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code cookie}: In. */
  public static int cookie(MemorySegment segment, long offset) {
    return (int) COOKIE.get(segment, offset);
  }

  /** Sets {@code cookie}. */
  public static void cookie(MemorySegment segment, long offset, int value) {
    COOKIE.set(segment, offset, value);
  }

  /** {@code size}: In: bytes, a multiple of 4096. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@code size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }

  /** {@code handle}: Out. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }
}
