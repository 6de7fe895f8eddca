package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_dma_unmap}: body of DMA_UNMAP; with FLAG_GET_DIRTY_BITMAP a bitmap
 * follows.
 *
 * <p>24 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_UNMAP".
 */
public final class DmaUnmap {
  /** Tell which pages were written. */
  public static final int FLAG_GET_DIRTY_BITMAP = 1;

  /** Unmap everything; address and size are 0. */
  public static final int FLAG_ALL = 2;

  private static final Struct S = Struct.packed("vfio_user_dma_unmap");
  public static final U32 ARGSZ = S.u32("argsz", "bytes of this structure");
  public static final U32 FLAGS = S.u32("flags", "FLAG_*");
  public static final U64 ADDR = S.u64("addr", "IOVA");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DmaUnmap() {}
}
