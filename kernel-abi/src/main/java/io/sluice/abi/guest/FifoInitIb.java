package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of FIFO_INIT_IB. {@code struct sluice_fifo_init_ib}, sluice_abi.h. */
public final class FifoInitIb {
  private static final Struct S = Struct.aligned("sluice_fifo_init_ib");
  public static final U32 CID = S.u32("cid", "in");
  public static final U32 FLAGS = S.u32("flags", "in: must be 0");
  public static final U32 SLIMASK = S.u32("slimask", "in: 1");
  public static final U32 IB_ORDER = S.u32("ib_order", "in: ring of 1 << ib_order entries");
  public static final U64 IB_START =
      S.u64("ib_start", "in: GPU address of the ring, mapped already");
  public static final StructLayout LAYOUT = S.layout();

  private FifoInitIb() {}
}
