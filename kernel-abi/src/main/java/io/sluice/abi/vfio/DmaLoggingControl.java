package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature_dma_logging_control}: data of the feature DMA_LOGGING_START;
 * DmaLoggingRange[num_ranges] follows, where the kernel's structure has their address.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  page_size           bytes of a page
 *  0x08      4  num_ranges          ranges that follow
 *  0x0c      4  __reserved          0
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_FEATURE"; linux/vfio.h.
 */
public final class DmaLoggingControl {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("page_size"),
              Layouts.WIRE_U32.withName("num_ranges"),
              Layouts.WIRE_U32.withName("__reserved"))
          .withName("vfio_device_feature_dma_logging_control");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle PAGE_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("page_size"));
  private static final VarHandle NUM_RANGES =
      LAYOUT.varHandle(PathElement.groupElement("num_ranges"));

  private DmaLoggingControl() {}

  /** {@code page_size}: bytes of a page. */
  public static long pageSize(MemorySegment segment, long offset) {
    return (long) PAGE_SIZE.get(segment, offset);
  }

  /** Sets {@link #pageSize}. */
  public static void pageSize(MemorySegment segment, long offset, long value) {
    PAGE_SIZE.set(segment, offset, value);
  }

  /** {@code num_ranges}: ranges that follow. */
  public static int numRanges(MemorySegment segment, long offset) {
    return (int) NUM_RANGES.get(segment, offset);
  }

  /** Sets {@link #numRanges}. */
  public static void numRanges(MemorySegment segment, long offset, int value) {
    NUM_RANGES.set(segment, offset, value);
  }
}
