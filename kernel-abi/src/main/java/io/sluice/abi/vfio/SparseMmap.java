package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_region_info_cap_sparse_mmap}: capability of a region that can be mapped in
 * parts; SparseArea[nr_areas] follows.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class SparseMmap {
  private static final Struct S = Struct.packed("vfio_region_info_cap_sparse_mmap");
  public static final U32 NR_AREAS =
      S.unusedBytes("header", 8, "InfoCapHeader").u32("nr_areas", "areas that follow");
  public static final U32 RESERVED = S.u32("reserved", "0");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private SparseMmap() {}
}
