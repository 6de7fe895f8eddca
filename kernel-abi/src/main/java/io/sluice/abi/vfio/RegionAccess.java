package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_region_access}: body of REGION_READ and REGION_WRITE; the bytes follow.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_REGION_READ".
 */
public final class RegionAccess {
  private static final Struct S = Struct.packed("vfio_user_region_access");
  public static final U64 OFFSET = S.u64("offset", "bytes into the region");
  public static final U32 REGION = S.u32("region", "index");
  public static final U32 COUNT = S.u32("count", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RegionAccess() {}
}
