package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One range of guest memory in the list of MEM_PAGES. {@code struct sluice_extent}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u64      iova             bus address of guest memory, a multiple of 4096
 *   0x08  u64      bytes            a multiple of 4096
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class Extent {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_LONG.withName("iova"), ValueLayout.JAVA_LONG.withName("bytes"))
          .withName("sluice_extent");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle IOVA = LAYOUT.varHandle(groupElement("iova"));
  private static final VarHandle BYTES = LAYOUT.varHandle(groupElement("bytes"));

  private Extent() {}

  /** {@code iova}: Bus address of guest memory, a multiple of 4096. */
  public static long iova(MemorySegment segment, long offset) {
    return (long) IOVA.get(segment, offset);
  }

  /** Sets {@code iova}. */
  public static void iova(MemorySegment segment, long offset, long value) {
    IOVA.set(segment, offset, value);
  }

  /** {@code bytes}: A multiple of 4096. */
  public static long bytes(MemorySegment segment, long offset) {
    return (long) BYTES.get(segment, offset);
  }

  /** Sets {@code bytes}. */
  public static void bytes(MemorySegment segment, long offset, long value) {
    BYTES.set(segment, offset, value);
  }
}
