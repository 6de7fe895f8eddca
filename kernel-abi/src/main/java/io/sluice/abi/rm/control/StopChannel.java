package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NVA06F_CTRL_STOP_CHANNEL_PARAMS}: block of STOP_CHANNEL.
 *
 * <p>1 bytes. Source: ctrla06fgpfifo.h.
 */
public final class StopChannel {
  private static final Struct S = Struct.aligned("NVA06F_CTRL_STOP_CHANNEL_PARAMS");
  public static final StructLayout LAYOUT = S.unused8("bImmediate", "in: 1").layout();

  private StopChannel() {}
}
