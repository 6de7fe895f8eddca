package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_dma_unmap}: body of DMA_UNMAP; with FLAG_GET_DIRTY_BITMAP a DmaBitmap
 * follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure
 *  0x04      4  flags               FLAG_*
 *  0x08      8  addr                IOVA
 *  0x10      8  size                bytes
 * </pre>
 *
 * <p>24 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_UNMAP".
 */
public final class DmaUnmap {
  /** Tell which pages were written. */
  public static final int FLAG_GET_DIRTY_BITMAP = 1;

  /** Unmap everything; address and size are 0. */
  public static final int FLAG_ALL = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U64.withName("addr"),
              Layouts.WIRE_U64.withName("size"))
          .withName("vfio_user_dma_unmap");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private DmaUnmap() {}

  /** {@code argsz}: bytes of this structure. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code flags}: FLAG_*. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code addr}: IOVA. */
  public static long addr(MemorySegment segment, long offset) {
    return (long) ADDR.get(segment, offset);
  }

  /** Sets {@link #addr}. */
  public static void addr(MemorySegment segment, long offset, long value) {
    ADDR.set(segment, offset, value);
  }

  /** {@code size}: bytes. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }
}
