package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_group_status}: of GROUP_GET_STATUS.
 *
 * <p>8 bytes. Unsigned, little-endian. Source: linux/vfio.h.
 */
public final class GroupStatus {
  /** All its devices are bound to VFIO or nothing. */
  public static final int FLAG_VIABLE = 1;

  private static final Struct S = Struct.packed("vfio_group_status");
  public static final U32 FLAGS =
      S.unused32("argsz", "bytes of this structure").u32("flags", "FLAG_*");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private GroupStatus() {}
}
