package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature_dma_logging_range}: a range to log.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  iova                first address
 *  0x08      8  length              bytes
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class DmaLoggingRange {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("iova"), Layouts.WIRE_U64.withName("length"))
          .withName("vfio_device_feature_dma_logging_range");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle IOVA = LAYOUT.varHandle(PathElement.groupElement("iova"));
  private static final VarHandle LENGTH = LAYOUT.varHandle(PathElement.groupElement("length"));

  private DmaLoggingRange() {}

  /** {@code iova}: first address. */
  public static long iova(MemorySegment segment, long offset) {
    return (long) IOVA.get(segment, offset);
  }

  /** Sets {@link #iova}. */
  public static void iova(MemorySegment segment, long offset, long value) {
    IOVA.set(segment, offset, value);
  }

  /** {@code length}: bytes. */
  public static long length(MemorySegment segment, long offset) {
    return (long) LENGTH.get(segment, offset);
  }

  /** Sets {@link #length}. */
  public static void length(MemorySegment segment, long offset, long value) {
    LENGTH.set(segment, offset, value);
  }
}
