package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVA06C_CTRL_TIMESLICE_PARAMS}: block of SET_TIMESLICE and GET_TIMESLICE.
 *
 * <p>8 bytes. Source: ctrla06c.h.
 */
public final class Timeslice {
  private static final Struct S = Struct.aligned("NVA06C_CTRL_TIMESLICE_PARAMS");
  public static final U64 MICROSECONDS = S.u64("timesliceUs", "in or out");
  public static final StructLayout LAYOUT = S.layout();

  private Timeslice() {}
}
