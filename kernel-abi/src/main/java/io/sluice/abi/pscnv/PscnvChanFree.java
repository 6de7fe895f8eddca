package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_chan_free}: argument of CHAN_FREE.
 *
 * <p>4 bytes. Source: pscnv_drm.h.
 */
public final class PscnvChanFree {
  private static final Struct S = Struct.aligned("drm_pscnv_chan_free");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvChanFree() {}
}
