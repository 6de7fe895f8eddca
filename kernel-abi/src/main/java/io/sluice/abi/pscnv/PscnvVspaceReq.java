package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vspace_req}: argument of VSPACE_NEW and VSPACE_FREE.
 *
 * <p>4 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVspaceReq {
  private static final Struct S = Struct.aligned("drm_pscnv_vspace_req");
  public static final U32 VID = S.u32("vid", "address space; out of VSPACE_NEW");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVspaceReq() {}
}
