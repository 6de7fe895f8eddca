package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of VSPACE_MAP. {@code struct sluice_vspace_map}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      vid              in
 *   0x04  u32      handle           in
 *   0x08  u32      back             in: highest address first when not 0
 *   0x0c  u32      flags            in: must be 0
 *   0x10  u64      start            in: lowest address allowed
 *   0x18  u64      end              in: first address not allowed
 *   0x20  u64      offset           out: GPU address
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class VspaceMap {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("vid"),
              ValueLayout.JAVA_INT.withName("handle"),
              ValueLayout.JAVA_INT.withName("back"),
              ValueLayout.JAVA_INT.withName("flags"),
              ValueLayout.JAVA_LONG.withName("start"),
              ValueLayout.JAVA_LONG.withName("end"),
              ValueLayout.JAVA_LONG.withName("offset"))
          .withName("sluice_vspace_map");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));
  private static final VarHandle BACK = LAYOUT.varHandle(groupElement("back"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(groupElement("flags"));
  private static final VarHandle START = LAYOUT.varHandle(groupElement("start"));
  private static final VarHandle END = LAYOUT.varHandle(groupElement("end"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(groupElement("offset"));

  private VspaceMap() {}

  /** {@code vid}: In. */
  public static int vid(MemorySegment segment, long offset) {
    return (int) VID.get(segment, offset);
  }

  /** Sets {@code vid}. */
  public static void vid(MemorySegment segment, long offset, int value) {
    VID.set(segment, offset, value);
  }

  /** {@code handle}: In. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }

  /** {@code back}: In: highest address first when not 0. */
  public static int back(MemorySegment segment, long offset) {
    return (int) BACK.get(segment, offset);
  }

  /** Sets {@code back}. */
  public static void back(MemorySegment segment, long offset, int value) {
    BACK.set(segment, offset, value);
  }

  /** {@code flags}: In: must be 0. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@code flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code start}: In: lowest address allowed. */
  public static long start(MemorySegment segment, long offset) {
    return (long) START.get(segment, offset);
  }

  /** Sets {@code start}. */
  public static void start(MemorySegment segment, long offset, long value) {
    START.set(segment, offset, value);
  }

  /** {@code end}: In: first address not allowed. */
  public static long end(MemorySegment segment, long offset) {
    return (long) END.get(segment, offset);
  }

  /** Sets {@code end}. */
  public static void end(MemorySegment segment, long offset, long value) {
    END.set(segment, offset, value);
  }

  /** {@code offset}: Out: GPU address. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@code offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }
}
