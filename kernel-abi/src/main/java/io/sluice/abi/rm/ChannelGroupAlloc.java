package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS}: block of KEPLER_CHANNEL_GROUP_A.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hObjectError              in: 0
 * 0x04      4  hObjectEccError           in: 0
 * 0x08      4  hVASpace                  in: address space
 * 0x0c      4  engineType                in: never 0; {@link RmEngine}
 * 0x10      1  bIsCallingContextVgpuPlugin  in: 0
 * </pre>
 *
 * <p>20 bytes. Source: nvos.h.
 */
public final class ChannelGroupAlloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hObjectError"),
              Layouts.U32.withName("hObjectEccError"),
              Layouts.U32.withName("hVASpace"),
              Layouts.U32.withName("engineType"),
              Layouts.U8.withName("bIsCallingContextVgpuPlugin"),
              MemoryLayout.paddingLayout(3).withName("pad0"))
          .withName("NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_OBJECT_ERROR =
      LAYOUT.varHandle(PathElement.groupElement("hObjectError"));

  private static final VarHandle H_ECC_ERROR =
      LAYOUT.varHandle(PathElement.groupElement("hObjectEccError"));

  private static final VarHandle H_VA_SPACE =
      LAYOUT.varHandle(PathElement.groupElement("hVASpace"));

  private static final VarHandle ENGINE_TYPE =
      LAYOUT.varHandle(PathElement.groupElement("engineType"));

  private static final VarHandle VGPU_PLUGIN =
      LAYOUT.varHandle(PathElement.groupElement("bIsCallingContextVgpuPlugin"));

  private ChannelGroupAlloc() {}

  /** {@code hObjectError}, in: 0. */
  public static int hObjectError(MemorySegment segment) {
    return (int) H_OBJECT_ERROR.get(segment, 0L);
  }

  /** Sets {@link #hObjectError}. */
  public static void hObjectError(MemorySegment segment, int value) {
    H_OBJECT_ERROR.set(segment, 0L, value);
  }

  /** {@code hObjectEccError}, in: 0. */
  public static int hEccError(MemorySegment segment) {
    return (int) H_ECC_ERROR.get(segment, 0L);
  }

  /** Sets {@link #hEccError}. */
  public static void hEccError(MemorySegment segment, int value) {
    H_ECC_ERROR.set(segment, 0L, value);
  }

  /** {@code hVASpace}, in: address space. */
  public static int hVaSpace(MemorySegment segment) {
    return (int) H_VA_SPACE.get(segment, 0L);
  }

  /** Sets {@link #hVaSpace}. */
  public static void hVaSpace(MemorySegment segment, int value) {
    H_VA_SPACE.set(segment, 0L, value);
  }

  /** {@code engineType}, in: never 0; {@link RmEngine}. */
  public static int engineType(MemorySegment segment) {
    return (int) ENGINE_TYPE.get(segment, 0L);
  }

  /** Sets {@link #engineType}. */
  public static void engineType(MemorySegment segment, int value) {
    ENGINE_TYPE.set(segment, 0L, value);
  }

  /** {@code bIsCallingContextVgpuPlugin}, in: 0. */
  public static byte vgpuPlugin(MemorySegment segment) {
    return (byte) VGPU_PLUGIN.get(segment, 0L);
  }

  /** Sets {@link #vgpuPlugin}. */
  public static void vgpuPlugin(MemorySegment segment, byte value) {
    VGPU_PLUGIN.set(segment, 0L, value);
  }
}
