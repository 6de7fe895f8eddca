package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_chan_query}: argument of CHAN_QUERY.
 *
 * <p>80 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanQuery {
  /** Everything submitted has run. */
  public static final int DRAINED = 1;

  /** Blocked on a semaphore acquire. */
  public static final int WAITING = 2;

  private static final Struct S = Struct.aligned("sluice_ext_chan_query");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 STATE = S.u32("state", "out: SLUICE_CHANNEL_*");
  public static final U32 REASON = S.u32("reason", "out: SLUICE_ERROR_*");
  public static final U32 INFO = S.u32("info", "out: detail of the reason");
  public static final U32 FLAGS = S.u32("flags", "out: DRAINED, WAITING");
  public static final U32 GP_GET = S.u32("gp_get", "out: next entry to take");
  public static final U32 GP_PUT = S.u32("gp_put", "out: first entry not to take");
  public static final U32 INTERRUPTS =
      S.u32("interrupts", "out: interrupts asked for, those that count as one included");
  public static final U64 FAULT_ADDRESS = S.u64("fault_address", "out");
  public static final U64 ENTRIES = S.u64("entries", "out: ring entries taken");
  public static final U64 BUSY_NS = S.u64("busy_ns", "out: GPU time used");
  public static final U64 RUNNING_NS =
      S.u64("running_ns", "out: how long the command at work has been running; 0 when none is");
  public static final U64 INSTRUCTIONS =
      S.u64("instructions", "out: warp instructions of grids that have ended");
  public static final U64 INTERPRETED =
      S.u64("interpreted", "out: those of them that were not compiled");
  public static final StructLayout LAYOUT = S.layout();

  private ExtChanQuery() {}
}
