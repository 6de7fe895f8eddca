package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature_dma_logging_range}: a range to log.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class DmaLoggingRange {
  private static final Struct S = Struct.packed("vfio_device_feature_dma_logging_range");
  public static final U64 IOVA = S.u64("iova", "first address");
  public static final U64 LENGTH = S.u64("length", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaLoggingRange() {}
}
