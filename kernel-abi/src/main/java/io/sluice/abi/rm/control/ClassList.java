package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS}: block of GPU_GET_CLASSLIST_V2.
 *
 * <p>804 bytes. Source: ctrl0080gpu.h.
 */
public final class ClassList {
  private static final Struct S = Struct.aligned("NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS");
  public static final U32 COUNT = S.u32("numClasses", "out");
  public static final Elements<U32> CLASS_NUMBER = S.u32s("classList", 200, "out");
  public static final StructLayout LAYOUT = S.layout();

  private ClassList() {}
}
