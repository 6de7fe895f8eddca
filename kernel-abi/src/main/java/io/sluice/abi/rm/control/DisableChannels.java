package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS}: block of FIFO_DISABLE_CHANNELS; reference
 * counted by the driver.
 *
 * <p>536 bytes. Source: ctrl2080fifo.h.
 */
public final class DisableChannels {
  private static final Struct S = Struct.aligned("NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS");
  public static final U8 DISABLE = S.u8("bDisable", "in: 1 stops, 0 lets run");
  public static final U32 COUNT = S.u32("numChannels", "in: at most 64");
  public static final Elements<U32> H_CLIENT =
      S.unused8("bOnlyDisableScheduling", "in")
          .unused8("bRewindGpPut", "in")
          .unused64("pRunlistPreemptEvent", "in: 0")
          .u32s("hClientList", 64, "in: clients");
  public static final Elements<U32> H_CHANNEL = S.u32s("hChannelList", 64, "in: channels of them");
  public static final StructLayout LAYOUT = S.layout();

  private DisableChannels() {}
}
