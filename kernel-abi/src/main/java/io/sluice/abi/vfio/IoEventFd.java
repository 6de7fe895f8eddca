package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_sub_region_ioeventfd}: a range of a region whose writes go to an eventfd.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  offset              bytes into the region
 *  0x08      8  size                bytes of the access
 *  0x10      4  fd_index            among the descriptors that come along
 *  0x14      4  type                TYPE_IOEVENTFD
 *  0x18      4  flags               of KVM_IOEVENTFD
 *  0x1c      4  padding             0
 *  0x20      8  datamatch           value to match, by the flags
 * </pre>
 *
 * <p>40 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DEVICE_GET_REGION_IO_FDS".
 */
public final class IoEventFd {
  /** Type: eventfd. */
  public static final int TYPE_IOEVENTFD = 0;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("offset"),
              Layouts.WIRE_U64.withName("size"),
              Layouts.WIRE_U32.withName("fd_index"),
              Layouts.WIRE_U32.withName("type"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("padding"),
              Layouts.WIRE_U64.withName("datamatch"))
          .withName("vfio_user_sub_region_ioeventfd");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final VarHandle FD_INDEX = LAYOUT.varHandle(PathElement.groupElement("fd_index"));
  private static final VarHandle TYPE = LAYOUT.varHandle(PathElement.groupElement("type"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle DATAMATCH =
      LAYOUT.varHandle(PathElement.groupElement("datamatch"));

  private IoEventFd() {}

  /** {@code offset}: bytes into the region. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }

  /** {@code size}: bytes of the access. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }

  /** {@code fd_index}: among the descriptors that come along. */
  public static int fdIndex(MemorySegment segment, long offset) {
    return (int) FD_INDEX.get(segment, offset);
  }

  /** Sets {@link #fdIndex}. */
  public static void fdIndex(MemorySegment segment, long offset, int value) {
    FD_INDEX.set(segment, offset, value);
  }

  /** {@code type}: TYPE_IOEVENTFD. */
  public static int type(MemorySegment segment, long offset) {
    return (int) TYPE.get(segment, offset);
  }

  /** Sets {@link #type}. */
  public static void type(MemorySegment segment, long offset, int value) {
    TYPE.set(segment, offset, value);
  }

  /** {@code flags}: of KVM_IOEVENTFD. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code datamatch}: value to match, by the flags. */
  public static long datamatch(MemorySegment segment, long offset) {
    return (long) DATAMATCH.get(segment, offset);
  }

  /** Sets {@link #datamatch}. */
  public static void datamatch(MemorySegment segment, long offset, long value) {
    DATAMATCH.set(segment, offset, value);
  }
}
