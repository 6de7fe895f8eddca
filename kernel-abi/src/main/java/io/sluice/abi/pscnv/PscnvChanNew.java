package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_chan_new}: argument of CHAN_NEW.
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvChanNew {
  private static final Struct S = Struct.aligned("drm_pscnv_chan_new");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 CID = S.u32("cid", "out: channel");
  public static final U64 MAP_HANDLE = S.u64("map_handle", "out: of its control page");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvChanNew() {}
}
