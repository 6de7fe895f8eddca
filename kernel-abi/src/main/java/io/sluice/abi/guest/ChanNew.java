package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/** Arguments of CHAN_NEW. {@code struct sluice_chan_new}, sluice_abi.h. */
public final class ChanNew {
  private static final Struct S = Struct.aligned("sluice_chan_new");
  public static final U32 VID = S.u32("vid", "in");
  public static final U32 CID = S.u32("cid", "out: also the index of its page in BAR 4");
  public static final StructLayout LAYOUT = S.layout();

  private ChanNew() {}
}
