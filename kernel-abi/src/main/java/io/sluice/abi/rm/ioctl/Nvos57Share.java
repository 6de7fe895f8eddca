package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS57_PARAMETERS}: argument of RM_SHARE.
 *
 * <p>24 bytes. Source: nvos.h, rs_access.h.
 */
public final class Nvos57Share {
  private static final Struct S = Struct.aligned("NVOS57_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_OBJECT = S.u32("hObject", "in: object");
  public static final U32 TARGET = S.u32("target", "in: whom, by the type; 0");
  public static final U32 ACCESS_MASK = S.u32("accessMask", "in: rights");
  public static final U16 TYPE = S.u16("type", "in: kind of the target");
  public static final U8 ACTION = S.u8("action", "in");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos57Share() {}
}
