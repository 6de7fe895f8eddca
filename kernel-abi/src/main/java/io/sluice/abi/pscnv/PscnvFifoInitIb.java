package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_fifo_init_ib}: argument of FIFO_INIT_IB: gives a channel its GPFIFO.
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvFifoInitIb {
  private static final Struct S = Struct.aligned("drm_pscnv_fifo_init_ib");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 SLIMASK =
      S.unused32("pb_handle", "in: not used on Fermi, 0")
          .unused32("flags", "in: 0")
          .u32("slimask", "in: subdevice mask, 1");
  public static final U64 IB_START = S.u64("ib_start", "in: address of the ring, mapped already");
  public static final U32 IB_ORDER =
      S.u32("ib_order", "in: 1 shifted left by it entries of 8 bytes; at most 29");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvFifoInitIb() {}
}
