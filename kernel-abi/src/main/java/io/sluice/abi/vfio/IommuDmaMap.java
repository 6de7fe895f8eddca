package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_iommu_type1_dma_map}: of IOMMU_MAP_DMA.
 *
 * <p>32 bytes. Unsigned, little-endian. Source: linux/vfio.h.
 */
public final class IommuDmaMap {
  /** The device may read. */
  public static final int FLAG_READ = 1;

  /** The device may write. */
  public static final int FLAG_WRITE = 2;

  private static final Struct S = Struct.packed("vfio_iommu_type1_dma_map");
  public static final U32 FLAGS =
      S.unused32("argsz", "bytes of this structure").u32("flags", "FLAG_*");
  public static final U64 VADDR = S.u64("vaddr", "address in this process");
  public static final U64 IOVA = S.u64("iova", "IOVA");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private IommuDmaMap() {}
}
