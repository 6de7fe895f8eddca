package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS}: block of GPU_GET_ID_INFO_V2.
 *
 * <p>32 bytes. Source: ctrl0000gpu.h.
 */
public final class GpuIdInfo {
  private static final Struct S = Struct.aligned("NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS");
  public static final U32 GPU_ID = S.u32("gpuId", "in: RM's number of the card");
  public static final U32 DEVICE_INSTANCE =
      S.unused32("gpuFlags", "out").u32("deviceInstance", "out");
  public static final U32 SUB_DEVICE_INSTANCE = S.u32("subDeviceInstance", "out");
  public static final StructLayout LAYOUT =
      S.unused32("sliStatus", "out")
          .unused32("boardId", "out")
          .unused32("gpuInstance", "out")
          .unused32("numaId", "out")
          .layout();

  private GpuIdInfo() {}
}
