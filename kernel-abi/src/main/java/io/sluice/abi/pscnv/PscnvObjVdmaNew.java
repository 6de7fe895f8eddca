package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
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
  public static final StructLayout LAYOUT =
      S.unused32("handle", "in: name of the object")
          .unused32("oclass", "in: object class")
          .unused32("flags", "in")
          .unused64("start", "in: first address")
          .unused64("size", "in: bytes")
          .layout();

  private PscnvObjVdmaNew() {}
}
