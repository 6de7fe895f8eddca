package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of VSPACE_UNMAP. {@code struct sluice_vspace_unmap}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      vid              in
 *   0x04  u32      pad
 *   0x08  u64      offset           in: any address inside the mapping
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class VspaceUnmap {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("vid"),
              ValueLayout.JAVA_INT.withName("pad"),
              ValueLayout.JAVA_LONG.withName("offset"))
          .withName("sluice_vspace_unmap");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(groupElement("vid"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(groupElement("offset"));

  private VspaceUnmap() {}

  /** {@code vid}: In. */
  public static int vid(MemorySegment segment, long offset) {
    return (int) VID.get(segment, offset);
  }

  /** Sets {@code vid}. */
  public static void vid(MemorySegment segment, long offset, int value) {
    VID.set(segment, offset, value);
  }

  /** {@code offset}: In: any address inside the mapping. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@code offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }
}
