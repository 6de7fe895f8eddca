package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_fifo_init}: argument of FIFO_INIT (DMA mode), which a GTX 480 answers
 * with ENODEV.
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvFifoInit {
  private static final Struct S = Struct.aligned("drm_pscnv_fifo_init");
  public static final StructLayout LAYOUT =
      S.unused32("cid", "in: channel")
          .unused32("pb_handle", "in: DMA object of the pushbuffer")
          .unused32("flags", "in")
          .unused32("slimask", "in")
          .unused64("pb_start", "in: address of the pushbuffer")
          .layout();

  private PscnvFifoInit() {}
}
