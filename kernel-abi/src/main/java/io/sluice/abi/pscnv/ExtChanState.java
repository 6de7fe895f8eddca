package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_chan_state}: argument of CHAN_STATE.
 *
 * <p>12304 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanState {
  /** Reads the state. */
  public static final int SAVE = 1;

  /** Writes the state. */
  public static final int RESTORE = 2;

  /** Largest state. */
  public static final int MAX_STATE_BYTES = 0x3000;

  private static final Struct S = Struct.aligned("sluice_ext_chan_state");
  public static final U32 CID = S.u32("cid", "in: channel");
  public static final U32 OP = S.u32("op", "in: SAVE or RESTORE");
  public static final U32 SIZE_FIELD =
      S.u32("size", "in of RESTORE, out of SAVE: bytes, at most MAX_STATE_BYTES");
  public static final Elements<U8> STATE = S.pad(4).bytes("state", 12288, "the state");
  public static final StructLayout LAYOUT = S.layout();

  private ExtChanState() {}
}
