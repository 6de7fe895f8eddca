package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS}: block of GR_SET_CTXSW_PREEMPTION_MODE.
 *
 * <p>32 bytes. Source: ctrl2080gr.h.
 */
public final class CtxswPreemption {
  /** {@link #FLAGS}: {@link #COMPUTE_MODE} is to be set. */
  public static final int FLAGS_CILP_SET = 1;

  /** {@link #COMPUTE_MODE}: at the end of thread blocks. */
  public static final int COMPUTE_CTA = 1;

  /** {@link #COMPUTE_MODE}: at any instruction. */
  public static final int COMPUTE_CILP = 2;

  private static final Struct S = Struct.aligned("NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS");
  public static final U32 FLAGS = S.u32("flags", "in: which modes");
  public static final U32 H_CHANNEL = S.u32("hChannel", "in: channel");
  public static final U32 COMPUTE_MODE =
      S.unused32("gfxpPreemptMode", "in").u32("cilpPreemptMode", "in");
  public static final StructLayout LAYOUT =
      S.unused32("grRouteFlags", "in: 0").unused64("grRoute", "in: 0").layout();

  private CtxswPreemption() {}
}
