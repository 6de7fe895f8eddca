package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_dma_map}: body of DMA_MAP.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure
 *  0x04      4  flags               FLAG_*
 *  0x08      8  offset              bytes into the file that came along
 *  0x10      8  addr                IOVA
 *  0x18      8  size                bytes
 * </pre>
 *
 * <p>32 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_MAP"; MMAP and FILE_IO: libvfio-user.
 */
public final class DmaMap {
  /** The device may read. */
  public static final int FLAG_READ = 1;

  /** The device may write. */
  public static final int FLAG_WRITE = 2;

  /** The file can be mapped; libvfio-user only. */
  public static final int FLAG_MMAP = 4;

  /** The file is to be read and written; libvfio-user only. */
  public static final int FLAG_FILE_IO = 8;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U64.withName("offset"),
              Layouts.WIRE_U64.withName("addr"),
              Layouts.WIRE_U64.withName("size"))
          .withName("vfio_user_dma_map");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private DmaMap() {}

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

  /** {@code offset}: bytes into the file that came along. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
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
