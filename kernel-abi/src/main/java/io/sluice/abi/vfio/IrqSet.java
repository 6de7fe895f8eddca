package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_irq_set}: body of DEVICE_SET_IRQS; with DATA_BOOL a byte for each follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure with what follows
 *  0x04      4  flags               one DATA_* and one ACTION_*
 *  0x08      4  index               kind of interrupt
 *  0x0c      4  start               first one
 *  0x10      4  count               how many
 * </pre>
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

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("index"),
              Layouts.WIRE_U32.withName("start"),
              Layouts.WIRE_U32.withName("count"))
          .withName("vfio_irq_set");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle INDEX = LAYOUT.varHandle(PathElement.groupElement("index"));
  private static final VarHandle START = LAYOUT.varHandle(PathElement.groupElement("start"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));

  private IrqSet() {}

  /** {@code argsz}: bytes of this structure with what follows. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code flags}: one DATA_* and one ACTION_*. */
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

  /** {@code start}: first one. */
  public static int start(MemorySegment segment, long offset) {
    return (int) START.get(segment, offset);
  }

  /** Sets {@link #start}. */
  public static void start(MemorySegment segment, long offset, int value) {
    START.set(segment, offset, value);
  }

  /** {@code count}: how many. */
  public static int count(MemorySegment segment, long offset) {
    return (int) COUNT.get(segment, offset);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, long offset, int value) {
    COUNT.set(segment, offset, value);
  }
}
