package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS00_PARAMETERS}: argument of RM_FREE.
 *
 * <p>16 bytes. Source: nvos.h.
 */
public final class Nvos00Free {
  private static final Struct S = Struct.aligned("NVOS00_PARAMETERS");
  public static final U32 H_ROOT = S.u32("hRoot", "in: client");
  public static final U32 H_PARENT = S.u32("hObjectParent", "in: parent; may be 0");
  public static final U32 H_OBJECT =
      S.u32("hObjectOld", "in: object; the client itself to free all of it");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos00Free() {}
}
