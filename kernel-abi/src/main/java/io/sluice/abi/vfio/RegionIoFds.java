package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_region_io_fds}: body of DEVICE_GET_REGION_IO_FDS; in a reply the
 * sub-regions follow.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_GET_REGION_IO_FDS".
 */
public final class RegionIoFds {
  private static final Struct S = Struct.packed("vfio_user_region_io_fds");
  public static final U32 ARGSZ =
      S.u32("argsz", "most bytes of the reply; in a reply: bytes it would need");
  public static final U32 FLAGS = S.u32("flags", "0");
  public static final U32 INDEX = S.u32("index", "region");
  public static final U32 COUNT = S.u32("count", "in a reply: sub-regions that follow");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private RegionIoFds() {}
}
