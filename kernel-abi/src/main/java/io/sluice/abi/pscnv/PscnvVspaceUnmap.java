package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vspace_unmap}: argument of VSPACE_UNMAP.
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVspaceUnmap {
  private static final Struct S = Struct.aligned("drm_pscnv_vspace_unmap");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U64 OFFSET = S.u64("offset", "in: any address inside the mapping");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVspaceUnmap() {}
}
