package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_group_status}: of GROUP_GET_STATUS.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               bytes of this structure
 *  0x04      4  flags               FLAG_*
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian. Source: linux/vfio.h.
 */
public final class GroupStatus {
  /** All its devices are bound to VFIO or nothing. */
  public static final int FLAG_VIABLE = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"), Layouts.WIRE_U32.withName("flags"))
          .withName("vfio_group_status");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private GroupStatus() {}

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
}
