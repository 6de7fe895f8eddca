package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_obj_eng_new}: argument of OBJ_ENG_NEW.
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvObjEngNew {
  private static final Struct S = Struct.aligned("drm_pscnv_obj_eng_new");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 HANDLE = S.u32("handle", "in: name of the object");
  public static final U32 OCLASS = S.u32("oclass", "in: engine class");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvObjEngNew() {}
}
