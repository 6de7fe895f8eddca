package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature_dma_logging_report}: data of the feature DMA_LOGGING_REPORT; in
 * a reply the bitmap follows, where the kernel's structure has its address.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  iova                first address
 *  0x08      8  length              bytes
 *  0x10      8  page_size           bytes of a page
 * </pre>
 *
 * <p>24 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_FEATURE"; linux/vfio.h.
 */
public final class DmaLoggingReport {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("iova"),
              Layouts.WIRE_U64.withName("length"),
              Layouts.WIRE_U64.withName("page_size"))
          .withName("vfio_device_feature_dma_logging_report");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle IOVA = LAYOUT.varHandle(PathElement.groupElement("iova"));
  private static final VarHandle LENGTH = LAYOUT.varHandle(PathElement.groupElement("length"));
  private static final VarHandle PAGE_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("page_size"));

  private DmaLoggingReport() {}

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

  /** {@code page_size}: bytes of a page. */
  public static long pageSize(MemorySegment segment, long offset) {
    return (long) PAGE_SIZE.get(segment, offset);
  }

  /** Sets {@link #pageSize}. */
  public static void pageSize(MemorySegment segment, long offset, long value) {
    PAGE_SIZE.set(segment, offset, value);
  }
}
