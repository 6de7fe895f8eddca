package io.sluice.abi.guest;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/** One posted call in BAR 1. {@code struct sluice_slot}, sluice_abi.h. */
public final class CallSlot {
  private static final Struct S = Struct.aligned("sluice_slot");
  public static final U32 SEQ =
      S.u32("seq", "guest: any value but 0, another one for each call in this slot");
  public static final U32 COMMAND = S.u32("command", "guest: SLUICE_CALL_*");
  public static final U32 STATUS =
      S.u32("status", "host: SLUICE_STATUS_OK or SLUICE_STATUS_ERROR | errno");
  public static final U32 DONE_SEQ = S.u32("done_seq", "host: seq of the finished call");
  public static final Elements<U32> ARGS = S.u32s("args", 60, "of the command, and its results");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private CallSlot() {}
}
