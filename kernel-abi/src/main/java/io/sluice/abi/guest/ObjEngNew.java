package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/** Arguments of OBJ_ENG_NEW. {@code struct sluice_obj_eng_new}, sluice_abi.h. */
public final class ObjEngNew {
  private static final Struct S = Struct.aligned("sluice_obj_eng_new");
  public static final U32 CID = S.u32("cid", "in");
  public static final U32 HANDLE = S.u32("handle", "in");
  public static final U32 OCLASS = S.u32("oclass", "in");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final StructLayout LAYOUT = S.layout();

  private ObjEngNew() {}
}
