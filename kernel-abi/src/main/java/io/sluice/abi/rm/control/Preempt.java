package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NVA06C_CTRL_PREEMPT_PARAMS}: block of PREEMPT.
 *
 * <p>8 bytes. Source: ctrla06c.h.
 */
public final class Preempt {
  private static final Struct S = Struct.aligned("NVA06C_CTRL_PREEMPT_PARAMS");
  public static final U8 WAIT = S.u8("bWait", "in: 1 returns when it is done");
  public static final U8 MANUAL_TIMEOUT = S.u8("bManualTimeout", "in: 1 uses the time-out");
  public static final U32 TIMEOUT_US = S.u32("timeoutUs", "in: microseconds");
  public static final StructLayout LAYOUT = S.layout();

  private Preempt() {}
}
