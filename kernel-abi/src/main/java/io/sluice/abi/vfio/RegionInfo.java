package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_region_info}: body of DEVICE_GET_REGION_INFO; capabilities follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               most bytes of the reply; in a reply: bytes it would need
 *  0x04      4  flags               FLAG_*
 *  0x08      4  index               region
 *  0x0c      4  cap_offset          of the first capability, from the start of this structure; 0: none
 *  0x10      8  size                bytes
 *  0x18      8  offset              of the region in the file that comes along
 * </pre>
 *
 * <p>32 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class RegionInfo {
  /** Can be read. */
  public static final int FLAG_READ = 1;

  /** Can be written. */
  public static final int FLAG_WRITE = 2;

  /** Can be mapped. */
  public static final int FLAG_MMAP = 4;

  /** Has capabilities. */
  public static final int FLAG_CAPS = 8;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"),
              Layouts.WIRE_U32.withName("flags"),
              Layouts.WIRE_U32.withName("index"),
              Layouts.WIRE_U32.withName("cap_offset"),
              Layouts.WIRE_U64.withName("size"),
              Layouts.WIRE_U64.withName("offset"))
          .withName("vfio_region_info");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle INDEX = LAYOUT.varHandle(PathElement.groupElement("index"));
  private static final VarHandle CAP_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("cap_offset"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private RegionInfo() {}

  /** {@code argsz}: most bytes of the reply; in a reply: bytes it would need. */
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

  /** {@code index}: region. */
  public static int index(MemorySegment segment, long offset) {
    return (int) INDEX.get(segment, offset);
  }

  /** Sets {@link #index}. */
  public static void index(MemorySegment segment, long offset, int value) {
    INDEX.set(segment, offset, value);
  }

  /** {@code cap_offset}: of the first capability, from the start of this structure; 0: none. */
  public static int capOffset(MemorySegment segment, long offset) {
    return (int) CAP_OFFSET.get(segment, offset);
  }

  /** Sets {@link #capOffset}. */
  public static void capOffset(MemorySegment segment, long offset, int value) {
    CAP_OFFSET.set(segment, offset, value);
  }

  /** {@code size}: bytes. */
  public static long size(MemorySegment segment, long offset) {
    return (long) SIZE_FIELD.get(segment, offset);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long offset, long value) {
    SIZE_FIELD.set(segment, offset, value);
  }

  /** {@code offset}: of the region in the file that comes along. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }
}
