package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_irq_info}: body of DEVICE_GET_IRQ_INFO.
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class IrqInfo {
  /** Delivered by eventfd. */
  public static final int FLAG_EVENTFD = 1;

  private static final Struct S = Struct.packed("vfio_irq_info");
  public static final U32 ARGSZ = S.u32("argsz", "bytes of this structure");
  public static final U32 FLAGS = S.u32("flags", "FLAG_*");
  public static final U32 INDEX = S.u32("index", "kind of interrupt");
  public static final U32 COUNT = S.u32("count", "how many there are");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private IrqInfo() {}
}
