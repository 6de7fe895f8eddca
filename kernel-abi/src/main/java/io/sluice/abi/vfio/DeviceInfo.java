package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_info}: body of DEVICE_GET_INFO; without the capabilities of the
 * kernel's structure.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               most bytes of the reply
 *  0x04      4  flags               FLAG_*
 *  0x08      4  num_regions         regions
 *  0x0c      4  num_irqs            kinds of interrupt
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class DeviceInfo {
  /** DEVICE_RESET is served. */
  public static final int FLAG_RESET = 1;

  /** A PCI device: regions and interrupts are those of VfioPci. */
  public static final int FLAG_PCI = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("num_regions"),
              Layouts.WIRE_U32.withName("num_irqs"))
          .withName("vfio_device_info");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle NUM_REGIONS =
      LAYOUT.varHandle(PathElement.groupElement("num_regions"));
  private static final VarHandle NUM_IRQS = LAYOUT.varHandle(PathElement.groupElement("num_irqs"));

  private DeviceInfo() {}

  /** {@code argsz}: most bytes of the reply. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code flags}: FLAG_*. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code num_regions}: regions. */
  public static int numRegions(MemorySegment segment, long offset) {
    return (int) NUM_REGIONS.get(segment, offset);
  }

  /** Sets {@link #numRegions}. */
  public static void numRegions(MemorySegment segment, long offset, int value) {
    NUM_REGIONS.set(segment, offset, value);
  }

  /** {@code num_irqs}: kinds of interrupt. */
  public static int numIrqs(MemorySegment segment, long offset) {
    return (int) NUM_IRQS.get(segment, offset);
  }

  /** Sets {@link #numIrqs}. */
  public static void numIrqs(MemorySegment segment, long offset, int value) {
    NUM_IRQS.set(segment, offset, value);
  }
}
