package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature_dma_logging_control}: data of the feature DMA_LOGGING_START;
 * DmaLoggingRange[num_ranges] follows, where the kernel's structure has their address.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_FEATURE"; linux/vfio.h.
 */
public final class DmaLoggingControl {
  private static final Struct S = Struct.packed("vfio_device_feature_dma_logging_control");
  public static final U64 PAGE_SIZE = S.u64("page_size", "bytes of a page");
  public static final U32 NUM_RANGES = S.u32("num_ranges", "ranges that follow");
  public static final U32 __RESERVED = S.u32("__reserved", "0");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaLoggingControl() {}
}
