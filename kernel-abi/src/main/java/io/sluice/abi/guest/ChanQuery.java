package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of CHAN_QUERY. {@code struct sluice_chan_query}, sluice_abi.h. */
public final class ChanQuery {
  private static final Struct S = Struct.aligned("sluice_chan_query");
  public static final U32 CID = S.u32("cid", "in");
  public static final U32 STATE = S.u32("state", "out: SLUICE_CHANNEL_*");
  public static final U32 REASON = S.u32("reason", "out: SLUICE_ERROR_*");
  public static final U32 INFO = S.u32("info", "out: detail of the reason");
  public static final U64 ADDRESS = S.u64("address", "out: address of a fault");
  public static final U64 ENTRIES = S.u64("entries", "out: ring entries taken");
  public static final U64 BUSY_NS = S.u64("busy_ns", "out: GPU time used");
  public static final StructLayout LAYOUT = S.layout();

  private ChanQuery() {}
}
