package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_irq_info}: body of DEVICE_GET_IRQ_INFO.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure
 *  0x04      4  flags               FLAG_*
 *  0x08      4  index               kind of interrupt
 *  0x0c      4  count               how many there are
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class IrqInfo {
  /** Delivered by eventfd. */
  public static final int FLAG_EVENTFD = 1;

  /** Can be masked. */
  public static final int FLAG_MASKABLE = 2;

  /** Masked when it fires. */
  public static final int FLAG_AUTOMASKED = 4;

  /** All are set up at once. */
  public static final int FLAG_NORESIZE = 8;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("index"),
              Layouts.WIRE_U32.withName("count"))
          .withName("vfio_irq_info");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle INDEX = LAYOUT.varHandle(PathElement.groupElement("index"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));

  private IrqInfo() {}

  /** {@code argsz}: bytes of this structure. */
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

  /** {@code index}: kind of interrupt. */
  public static int index(MemorySegment segment, long offset) {
    return (int) INDEX.get(segment, offset);
  }

  /** Sets {@link #index}. */
  public static void index(MemorySegment segment, long offset, int value) {
    INDEX.set(segment, offset, value);
  }

  /** {@code count}: how many there are. */
  public static int count(MemorySegment segment, long offset) {
    return (int) COUNT.get(segment, offset);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, long offset, int value) {
    COUNT.set(segment, offset, value);
  }
}
