package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS}: block of GPU_GET_NAME_STRING.
 *
 * <p>132 bytes. Source: ctrl2080gpu.h.
 */
public final class GpuName {
  private static final Struct S = Struct.aligned("NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS");
  public static final U32 FLAGS = S.u32("gpuNameStringFlags", "in: 0, ASCII");
  public static final Elements<U8> NAME = S.bytes("gpuNameString", 128, "out: NUL-terminated");
  public static final StructLayout LAYOUT = S.layout();

  private GpuName() {}
}
