package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS}: block of GPU_GET_NAME_STRING.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  gpuNameStringFlags        in: 0, ASCII
 * 0x04    128  gpuNameString[128]        out: NUL-terminated
 * </pre>
 *
 * <p>132 bytes. Source: ctrl2080gpu.h.
 */
public final class GpuName {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("gpuNameStringFlags"),
              MemoryLayout.sequenceLayout(128, Layouts.U8).withName("gpuNameString"))
          .withName("NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FLAGS =
      LAYOUT.varHandle(PathElement.groupElement("gpuNameStringFlags"));

  private static final long NAME_OFFSET =
      LAYOUT.byteOffset(PathElement.groupElement("gpuNameString"));

  private GpuName() {}

  /** {@code gpuNameStringFlags}, in: 0, ASCII. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code gpuNameString}, out: NUL-terminated. */
  public static MemorySegment name(MemorySegment segment) {
    return segment.asSlice(NAME_OFFSET, 128);
  }
}
