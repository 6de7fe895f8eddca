package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature_dma_logging_report}: data of the feature DMA_LOGGING_REPORT; in
 * a reply the bitmap follows, where the kernel's structure has its address.
 *
 * <p>24 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_FEATURE"; linux/vfio.h.
 */
public final class DmaLoggingReport {
  private static final Struct S = Struct.packed("vfio_device_feature_dma_logging_report");
  public static final U64 IOVA = S.u64("iova", "first address");
  public static final U64 LENGTH = S.u64("length", "bytes");
  public static final U64 PAGE_SIZE = S.u64("page_size", "bytes of a page");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaLoggingReport() {}
}
