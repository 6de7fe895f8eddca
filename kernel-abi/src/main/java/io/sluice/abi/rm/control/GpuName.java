package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS}: block of GPU_GET_NAME_STRING.
 *
 * <p>132 bytes. Source: ctrl2080gpu.h.
 */
public final class GpuName {
  private static final Struct S = Struct.aligned("NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS");
  public static final StructLayout LAYOUT =
      S.unused32("gpuNameStringFlags", "in: 0, ASCII")
          .unusedBytes("gpuNameString", 128, "out: NUL-terminated")
          .layout();

  private GpuName() {}
}
