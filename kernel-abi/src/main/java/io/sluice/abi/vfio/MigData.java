package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_mig_data}: body of MIG_DATA_READ and MIG_DATA_WRITE; the bytes follow.
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_MIG_DATA_READ".
 */
public final class MigData {
  private static final Struct S = Struct.packed("vfio_user_mig_data");
  public static final U32 ARGSZ = S.u32("argsz", "most bytes of the reply");
  public static final U32 SIZE_FIELD = S.u32("size", "bytes");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private MigData() {}
}
