package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_irq_set}: body of DEVICE_SET_IRQS; with DATA_BOOL a byte for each follows.
 *
 * <p>20 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class IrqSet {
  /** No data: all of the range. */
  public static final int DATA_NONE = 1;

  /** A byte for each: not 0 means this one. */
  public static final int DATA_BOOL = 2;

  /** A descriptor for each; none takes them away. */
  public static final int DATA_EVENTFD = 4;

  /** All DATA_* flags. */
  public static final int DATA_MASK = 7;

  /** Mask. */
  public static final int ACTION_MASK = 8;

  /** Unmask. */
  public static final int ACTION_UNMASK = 0x10;

  /** Fire, or with DATA_EVENTFD set what fires. */
  public static final int ACTION_TRIGGER = 0x20;

  /** All ACTION_* flags. */
  public static final int ACTION_TYPE_MASK = 0x38;

  private static final Struct S = Struct.packed("vfio_irq_set");
  public static final U32 ARGSZ = S.u32("argsz", "bytes of this structure with what follows");
  public static final U32 FLAGS = S.u32("flags", "one DATA_* and one ACTION_*");
  public static final U32 INDEX = S.u32("index", "kind of interrupt");
  public static final U32 START = S.u32("start", "first one");
  public static final U32 COUNT = S.u32("count", "how many");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private IrqSet() {}
}
