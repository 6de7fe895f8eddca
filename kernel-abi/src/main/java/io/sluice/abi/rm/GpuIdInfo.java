package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS}: block of GPU_GET_ID_INFO_V2.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  gpuId                     in: RM's number of the card
 * 0x04      4  gpuFlags                  out
 * 0x08      4  deviceInstance            out
 * 0x0c      4  subDeviceInstance         out
 * 0x10      4  sliStatus                 out
 * 0x14      4  boardId                   out
 * 0x18      4  gpuInstance               out
 * 0x1c      4  numaId                    out
 * </pre>
 *
 * <p>32 bytes. Source: ctrl0000gpu.h.
 */
public final class GpuIdInfo {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("gpuId"),
              Layouts.U32.withName("gpuFlags"),
              Layouts.U32.withName("deviceInstance"),
              Layouts.U32.withName("subDeviceInstance"),
              Layouts.U32.withName("sliStatus"),
              Layouts.U32.withName("boardId"),
              Layouts.U32.withName("gpuInstance"),
              Layouts.U32.withName("numaId"))
          .withName("NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle GPU_ID = LAYOUT.varHandle(PathElement.groupElement("gpuId"));

  private static final VarHandle GPU_FLAGS = LAYOUT.varHandle(PathElement.groupElement("gpuFlags"));

  private static final VarHandle DEVICE_INSTANCE =
      LAYOUT.varHandle(PathElement.groupElement("deviceInstance"));

  private static final VarHandle SUB_DEVICE_INSTANCE =
      LAYOUT.varHandle(PathElement.groupElement("subDeviceInstance"));

  private static final VarHandle SLI_STATUS =
      LAYOUT.varHandle(PathElement.groupElement("sliStatus"));

  private static final VarHandle BOARD_ID = LAYOUT.varHandle(PathElement.groupElement("boardId"));

  private static final VarHandle GPU_INSTANCE =
      LAYOUT.varHandle(PathElement.groupElement("gpuInstance"));

  private static final VarHandle NUMA_ID = LAYOUT.varHandle(PathElement.groupElement("numaId"));

  private GpuIdInfo() {}

  /** {@code gpuId}, in: RM's number of the card. */
  public static int gpuId(MemorySegment segment) {
    return (int) GPU_ID.get(segment, 0L);
  }

  /** Sets {@link #gpuId}. */
  public static void gpuId(MemorySegment segment, int value) {
    GPU_ID.set(segment, 0L, value);
  }

  /** {@code gpuFlags}, out. */
  public static int gpuFlags(MemorySegment segment) {
    return (int) GPU_FLAGS.get(segment, 0L);
  }

  /** Sets {@link #gpuFlags}. */
  public static void gpuFlags(MemorySegment segment, int value) {
    GPU_FLAGS.set(segment, 0L, value);
  }

  /** {@code deviceInstance}, out. */
  public static int deviceInstance(MemorySegment segment) {
    return (int) DEVICE_INSTANCE.get(segment, 0L);
  }

  /** Sets {@link #deviceInstance}. */
  public static void deviceInstance(MemorySegment segment, int value) {
    DEVICE_INSTANCE.set(segment, 0L, value);
  }

  /** {@code subDeviceInstance}, out. */
  public static int subDeviceInstance(MemorySegment segment) {
    return (int) SUB_DEVICE_INSTANCE.get(segment, 0L);
  }

  /** Sets {@link #subDeviceInstance}. */
  public static void subDeviceInstance(MemorySegment segment, int value) {
    SUB_DEVICE_INSTANCE.set(segment, 0L, value);
  }

  /** {@code sliStatus}, out. */
  public static int sliStatus(MemorySegment segment) {
    return (int) SLI_STATUS.get(segment, 0L);
  }

  /** Sets {@link #sliStatus}. */
  public static void sliStatus(MemorySegment segment, int value) {
    SLI_STATUS.set(segment, 0L, value);
  }

  /** {@code boardId}, out. */
  public static int boardId(MemorySegment segment) {
    return (int) BOARD_ID.get(segment, 0L);
  }

  /** Sets {@link #boardId}. */
  public static void boardId(MemorySegment segment, int value) {
    BOARD_ID.set(segment, 0L, value);
  }

  /** {@code gpuInstance}, out. */
  public static int gpuInstance(MemorySegment segment) {
    return (int) GPU_INSTANCE.get(segment, 0L);
  }

  /** Sets {@link #gpuInstance}. */
  public static void gpuInstance(MemorySegment segment, int value) {
    GPU_INSTANCE.set(segment, 0L, value);
  }

  /** {@code numaId}, out. */
  public static int numaId(MemorySegment segment) {
    return (int) NUMA_ID.get(segment, 0L);
  }

  /** Sets {@link #numaId}. */
  public static void numaId(MemorySegment segment, int value) {
    NUMA_ID.set(segment, 0L, value);
  }
}
