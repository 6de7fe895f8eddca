package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_region_access}: body of REGION_READ and REGION_WRITE; the bytes follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  offset              bytes into the region
 *  0x08      4  region              index
 *  0x0c      4  count               bytes
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_REGION_READ".
 */
public final class RegionAccess {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("offset"),
              Layouts.WIRE_U32.withName("region"),
              Layouts.WIRE_U32.withName("count"))
          .withName("vfio_user_region_access");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle REGION = LAYOUT.varHandle(PathElement.groupElement("region"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));

  private RegionAccess() {}

  /** {@code offset}: bytes into the region. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }

  /** {@code region}: index. */
  public static int region(MemorySegment segment, long offset) {
    return (int) REGION.get(segment, offset);
  }

  /** Sets {@link #region}. */
  public static void region(MemorySegment segment, long offset, int value) {
    REGION.set(segment, offset, value);
  }

  /** {@code count}: bytes. */
  public static int count(MemorySegment segment, long offset) {
    return (int) COUNT.get(segment, offset);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, long offset, int value) {
    COUNT.set(segment, offset, value);
  }
}
