package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of MEM_PAGES. {@code struct sluice_mem_pages}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      handle           in
 *   0x04  u32      count            in: extents in the list, 1 .. SLUICE_MAX_EXTENTS
 *   0x08  u64      offset           in: byte offset in the buffer where the first extent goes
 *   0x10  u64      list_iova        in: bus address of struct sluice_extent[count], in one page
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class MemPages {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("handle"),
              ValueLayout.JAVA_INT.withName("count"),
              ValueLayout.JAVA_LONG.withName("offset"),
              ValueLayout.JAVA_LONG.withName("list_iova"))
          .withName("sluice_mem_pages");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));
  private static final VarHandle COUNT = LAYOUT.varHandle(groupElement("count"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(groupElement("offset"));
  private static final VarHandle LIST_IOVA = LAYOUT.varHandle(groupElement("list_iova"));

  private MemPages() {}

  /** {@code handle}: In. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }

  /** {@code count}: In: extents in the list, 1 .. SLUICE_MAX_EXTENTS. */
  public static int count(MemorySegment segment, long offset) {
    return (int) COUNT.get(segment, offset);
  }

  /** Sets {@code count}. */
  public static void count(MemorySegment segment, long offset, int value) {
    COUNT.set(segment, offset, value);
  }

  /** {@code offset}: In: byte offset in the buffer where the first extent goes. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@code offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }

  /** {@code list_iova}: In: bus address of struct sluice_extent[count], in one page. */
  public static long listIova(MemorySegment segment, long offset) {
    return (long) LIST_IOVA.get(segment, offset);
  }

  /** Sets {@code list_iova}. */
  public static void listIova(MemorySegment segment, long offset, long value) {
    LIST_IOVA.set(segment, offset, value);
  }
}
