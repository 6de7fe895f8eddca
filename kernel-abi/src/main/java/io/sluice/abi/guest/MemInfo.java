package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of MEM_INFO. {@code struct sluice_mem_info}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      handle           in
 *   0x04  u32      flags            out
 *   0x08  u32      tile_flags       out
 *   0x0c  u32      cookie           out
 *   0x10  u64      size             out: bytes
 *   0x18  u64      aperture_offset  out: ~0 when not in the aperture
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class MemInfo {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("handle"),
              ValueLayout.JAVA_INT.withName("flags"),
              ValueLayout.JAVA_INT.withName("tile_flags"),
              ValueLayout.JAVA_INT.withName("cookie"),
              ValueLayout.JAVA_LONG.withName("size"),
              ValueLayout.JAVA_LONG.withName("aperture_offset"))
          .withName("sluice_mem_info");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(groupElement("flags"));
  private static final VarHandle TILE_FLAGS = LAYOUT.varHandle(groupElement("tile_flags"));
  private static final VarHandle COOKIE = LAYOUT.varHandle(groupElement("cookie"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(groupElement("size"));
  private static final VarHandle APERTURE_OFFSET =
      LAYOUT.varHandle(groupElement("aperture_offset"));

  private MemInfo() {}

  /** {@code handle}: In. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }

  /** {@code flags}: Out. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@code flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code tile_flags}: Out. */
  public static int tileFlags(MemorySegment segment, long offset) {
    return (int) TILE_FLAGS.get(segment, offset);
  }

  /** Sets {@code tile_flags}. */
  public static void tileFlags(MemorySegment segment, long offset, int value) {
    TILE_FLAGS.set(segment, offset, value);
  }

  /** {@code cookie}: Out. */
  public static int cookie(MemorySegment segment, long offset) {
    return (int) COOKIE.get(segment, offset);
  }

  /** Sets {@code cookie}. */
  public static void cookie(MemorySegment segment, long offset, int value) {
    COOKIE.set(segment, offset, value);
  }

  /** {@code size}: Out: bytes. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@code size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }

  /** {@code aperture_offset}: Out: ~0 when not in the aperture. */
  public static long apertureOffset(MemorySegment segment, long offset) {
    return (long) APERTURE_OFFSET.get(segment, offset);
  }

  /** Sets {@code aperture_offset}. */
  public static void apertureOffset(MemorySegment segment, long offset, long value) {
    APERTURE_OFFSET.set(segment, offset, value);
  }
}
