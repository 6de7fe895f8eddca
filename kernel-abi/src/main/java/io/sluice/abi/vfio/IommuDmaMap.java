package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_iommu_type1_dma_map}: of IOMMU_MAP_DMA.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure
 *  0x04      4  flags               FLAG_*
 *  0x08      8  vaddr               address in this process
 *  0x10      8  iova                IOVA
 *  0x18      8  size                bytes
 * </pre>
 *
 * <p>32 bytes. Unsigned, little-endian. Source: linux/vfio.h.
 */
public final class IommuDmaMap {
  /** The device may read. */
  public static final int FLAG_READ = 1;

  /** The device may write. */
  public static final int FLAG_WRITE = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U64.withName("vaddr"),
              Layouts.WIRE_U64.withName("iova"),
              Layouts.WIRE_U64.withName("size"))
          .withName("vfio_iommu_type1_dma_map");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle VADDR = LAYOUT.varHandle(PathElement.groupElement("vaddr"));
  private static final VarHandle IOVA = LAYOUT.varHandle(PathElement.groupElement("iova"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private IommuDmaMap() {}

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

  /** {@code vaddr}: address in this process. */
  public static long vaddr(MemorySegment segment, long offset) {
    return (long) VADDR.get(segment, offset);
  }

  /** Sets {@link #vaddr}. */
  public static void vaddr(MemorySegment segment, long offset, long value) {
    VADDR.set(segment, offset, value);
  }

  /** {@code iova}: IOVA. */
  public static long iova(MemorySegment segment, long offset) {
    return (long) IOVA.get(segment, offset);
  }

  /** Sets {@link #iova}. */
  public static void iova(MemorySegment segment, long offset, long value) {
    IOVA.set(segment, offset, value);
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
