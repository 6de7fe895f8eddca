package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS}: block of
 * GR_GET_CURRENT_RESIDENT_CHANNEL.
 *
 * <p>24 bytes. Source: ctrl2080gr.h.
 */
public final class ResidentChannel {
  private static final Struct S =
      Struct.aligned("NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS");
  public static final U32 CHANNEL =
      S.u32("chID", "out: number on its runlist, as in the doorbell's token");
  public static final StructLayout LAYOUT =
      S.pad(4).unused32("grRouteFlags", "0").unused64("grRoute", "0").layout();

  private ResidentChannel() {}
}
