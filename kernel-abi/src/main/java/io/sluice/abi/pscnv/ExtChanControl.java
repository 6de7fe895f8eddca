package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_chan_control}: argument of CHAN_CONTROL.
 *
 * <p>16 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanControl {
  /** Takes no entries any more; the control page stays live. */
  public static final int SUSPEND = 1;

  /** Undoes SUSPEND. */
  public static final int RESUME = 2;

  /** Ends the channel. */
  public static final int KILL = 3;

  /** The GPU looks at the control page no more. */
  public static final int DETACH = 4;

  /** Undoes DETACH. */
  public static final int ATTACH = 5;

  private static final Struct S = Struct.aligned("sluice_ext_chan_control");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 OP = S.u32("op", "in: SUSPEND to ATTACH");
  public static final U32 REASON = S.u32("reason", "in, of KILL: SLUICE_ERROR_*");
  public static final U32 INFO = S.u32("info", "in, of KILL: detail of the reason");
  public static final StructLayout LAYOUT = S.layout();

  private ExtChanControl() {}
}
