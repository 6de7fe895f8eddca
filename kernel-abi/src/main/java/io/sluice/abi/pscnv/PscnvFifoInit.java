package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_fifo_init}: argument of FIFO_INIT (DMA mode), which a GTX 480 answers
 * with ENODEV.
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvFifoInit {
  private static final Struct S = Struct.aligned("drm_pscnv_fifo_init");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 PB_HANDLE = S.u32("pb_handle", "in: DMA object of the pushbuffer");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U32 SLIMASK = S.u32("slimask", "in");
  public static final U64 PB_START = S.u64("pb_start", "in: address of the pushbuffer");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvFifoInit() {}
}
