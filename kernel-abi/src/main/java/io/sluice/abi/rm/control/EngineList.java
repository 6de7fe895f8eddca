package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS}: block of GPU_GET_ENGINES_V2.
 *
 * <p>340 bytes. Source: ctrl2080gpu.h.
 */
public final class EngineList {
  private static final Struct S = Struct.aligned("NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS");
  public static final U32 COUNT = S.u32("engineCount", "out");
  public static final Elements<U32> ENGINE = S.u32s("engineList", 84, "out: RmEngine");
  public static final StructLayout LAYOUT = S.layout();

  private EngineList() {}
}
