package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS55_PARAMETERS}: argument of RM_DUP_OBJECT.
 *
 * <p>28 bytes. Source: nvos.h.
 */
public final class Nvos55DupObject {
  private static final Struct S = Struct.aligned("NVOS55_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client that receives");
  public static final U32 H_PARENT = S.u32("hParent", "in: parent there");
  public static final U32 H_OBJECT = S.u32("hObject", "in: handle there");
  public static final U32 H_CLIENT_SRC = S.u32("hClientSrc", "in: client that has it");
  public static final U32 H_OBJECT_SRC = S.u32("hObjectSrc", "in: handle there");
  public static final U32 STATUS = S.unused32("flags", "in").u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos55DupObject() {}
}
