package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_obj_vdma_new}: argument of OBJ_VDMA_NEW, which a GTX 480 answers with
 * ENOSYS.
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvObjVdmaNew {
  private static final Struct S = Struct.aligned("drm_pscnv_obj_vdma_new");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 HANDLE = S.u32("handle", "in: name of the object");
  public static final U32 OCLASS = S.u32("oclass", "in: object class");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U64 START = S.u64("start", "in: first address");
  public static final U64 SIZE_FIELD = S.u64("size", "in: bytes");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvObjVdmaNew() {}
}
