package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_region_sparse_mmap_area}: a part of a region that can be mapped.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class SparseArea {
  private static final Struct S = Struct.packed("vfio_region_sparse_mmap_area");
  public static final U64 OFFSET = S.u64("offset", "bytes into the region");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private SparseArea() {}
}
