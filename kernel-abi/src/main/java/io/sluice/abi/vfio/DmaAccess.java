package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_dma_region_access}: body of DMA_READ and DMA_WRITE; the bytes follow.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_READ".
 */
public final class DmaAccess {
  private static final Struct S = Struct.packed("vfio_user_dma_region_access");
  public static final U64 ADDR = S.u64("addr", "IOVA");
  public static final U64 COUNT = S.u64("count", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaAccess() {}
}
