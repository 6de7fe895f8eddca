package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_info}: body of DEVICE_GET_INFO; without the capabilities of the
 * kernel's structure.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class DeviceInfo {
  /** DEVICE_RESET is served. */
  public static final int FLAG_RESET = 1;

  /** A PCI device: regions and interrupts are those of VfioPci. */
  public static final int FLAG_PCI = 2;

  private static final Struct S = Struct.packed("vfio_device_info");
  public static final U32 ARGSZ = S.u32("argsz", "most bytes of the reply");
  public static final U32 FLAGS = S.u32("flags", "FLAG_*");
  public static final U32 NUM_REGIONS = S.u32("num_regions", "regions");
  public static final U32 NUM_IRQS = S.u32("num_irqs", "kinds of interrupt");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DeviceInfo() {}
}
