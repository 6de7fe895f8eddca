package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS}: block of GPFIFO_SCHEDULE.
 *
 * <p>3 bytes. Source: ctrla06c.h.
 */
public final class GpfifoSchedule {
  private static final Struct S = Struct.aligned("NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS");
  public static final U8 ENABLE = S.u8("bEnable", "in: 1");
  public static final StructLayout LAYOUT =
      S.unused8("bSkipSubmit", "in: 0").unused8("bSkipEnable", "in: 0").layout();

  private GpfifoSchedule() {}
}
