package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_bitmap}: head of a bitmap of pages; its words follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  pgsize              bytes of a page
 *  0x08      8  size                bytes of the bitmap
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_UNMAP".
 */
public final class DmaBitmap {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("pgsize"), Layouts.WIRE_U64.withName("size"))
          .withName("vfio_user_bitmap");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle PGSIZE = LAYOUT.varHandle(PathElement.groupElement("pgsize"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private DmaBitmap() {}

  /** {@code pgsize}: bytes of a page. */
  public static long pgsize(MemorySegment segment, long offset) {
    return (long) PGSIZE.get(segment, offset);
  }

  /** Sets {@link #pgsize}. */
  public static void pgsize(MemorySegment segment, long offset, long value) {
    PGSIZE.set(segment, offset, value);
  }

  /** {@code size}: bytes of the bitmap. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }
}
