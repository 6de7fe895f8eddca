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
  public static final U32 GPU_FLAGS = S.u32("gpuFlags", "out");
  public static final U32 DEVICE_INSTANCE = S.u32("deviceInstance", "out");
  public static final U32 SUB_DEVICE_INSTANCE = S.u32("subDeviceInstance", "out");
  public static final U32 SLI_STATUS = S.u32("sliStatus", "out");
  public static final U32 BOARD_ID = S.u32("boardId", "out");
  public static final U32 GPU_INSTANCE = S.u32("gpuInstance", "out");
  public static final U32 NUMA_ID = S.u32("numaId", "out");
  public static final StructLayout LAYOUT = S.layout();

  private GpuIdInfo() {}
}
