package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_ALLOC_PARAMETERS}: block of NV20_SUBDEVICE_0.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  subDeviceId               in: subdevice instance
 * </pre>
 *
 * <p>4 bytes. Source: cl2080.h.
 */
public final class Nv2080Alloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("subDeviceId"))
          .withName("NV2080_ALLOC_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle SUB_DEVICE_ID =
      LAYOUT.varHandle(PathElement.groupElement("subDeviceId"));

  private Nv2080Alloc() {}

  /** {@code subDeviceId}, in: subdevice instance. */
  public static int subDeviceId(MemorySegment segment) {
    return (int) SUB_DEVICE_ID.get(segment, 0L);
  }

  /** Sets {@link #subDeviceId}. */
  public static void subDeviceId(MemorySegment segment, int value) {
    SUB_DEVICE_ID.set(segment, 0L, value);
  }
}
