package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_iommu_type1_dma_unmap}: of IOMMU_UNMAP_DMA.
 *
 * <p>24 bytes. Unsigned, little-endian. Source: linux/vfio.h.
 */
public final class IommuDmaUnmap {
  private static final Struct S = Struct.packed("vfio_iommu_type1_dma_unmap");
  public static final U64 IOVA =
      S.unused32("argsz", "bytes of this structure").unused32("flags", "0").u64("iova", "IOVA");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes; out: those unmapped");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private IommuDmaUnmap() {}
}
