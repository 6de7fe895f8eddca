package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_region_info}: body of DEVICE_GET_REGION_INFO; capabilities follow.
 *
 * <p>32 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class RegionInfo {
  /** Can be read. */
  public static final int FLAG_READ = 1;

  /** Can be written. */
  public static final int FLAG_WRITE = 2;

  /** Can be mapped. */
  public static final int FLAG_MMAP = 4;

  /** Has capabilities. */
  public static final int FLAG_CAPS = 8;

  private static final Struct S = Struct.packed("vfio_region_info");
  public static final U32 ARGSZ =
      S.u32("argsz", "most bytes of the reply; in a reply: bytes it would need");
  public static final U32 FLAGS = S.u32("flags", "FLAG_*");
  public static final U32 INDEX = S.u32("index", "region");
  public static final U32 CAP_OFFSET =
      S.u32("cap_offset", "of the first capability, from the start of this structure; 0: none");
  public static final U64 SIZE_FIELD = S.u64("size", "bytes");
  public static final U64 OFFSET = S.u64("offset", "of the region in the file that comes along");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RegionInfo() {}
}
