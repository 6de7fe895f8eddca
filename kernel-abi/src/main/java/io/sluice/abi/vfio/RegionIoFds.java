package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_region_io_fds}: body of DEVICE_GET_REGION_IO_FDS; in a reply
 * IoEventFd[count] follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               most bytes of the reply; in a reply: bytes it would need
 *  0x04      4  flags               0
 *  0x08      4  index               region
 *  0x0c      4  count               in a reply: sub-regions that follow
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_GET_REGION_IO_FDS".
 */
public final class RegionIoFds {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("index"),
              Layouts.WIRE_U32.withName("count"))
          .withName("vfio_user_region_io_fds");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle INDEX = LAYOUT.varHandle(PathElement.groupElement("index"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));

  private RegionIoFds() {}

  /** {@code argsz}: most bytes of the reply; in a reply: bytes it would need. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code flags}: 0. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code index}: region. */
  public static int index(MemorySegment segment, long offset) {
    return (int) INDEX.get(segment, offset);
  }

  /** Sets {@link #index}. */
  public static void index(MemorySegment segment, long offset, int value) {
    INDEX.set(segment, offset, value);
  }

  /** {@code count}, in a reply: sub-regions that follow. */
  public static int count(MemorySegment segment, long offset) {
    return (int) COUNT.get(segment, offset);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, long offset, int value) {
    COUNT.set(segment, offset, value);
  }
}
