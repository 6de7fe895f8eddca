package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_write_multi}: body of REGION_WRITE_MULTI; entries of ENTRY_SIZE follow: a
 * RegionAccess and 8 bytes of data.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  wr_cnt              entries that follow
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_REGION_WRITE_MULTI".
 */
public final class WriteMulti {
  /** Bytes of data in each entry, of which the first count are meant. */
  public static final int MAX_DATA_BYTES = 8;

  /** Bytes of an entry. */
  public static final long ENTRY_SIZE = RegionAccess.SIZE + MAX_DATA_BYTES;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.WIRE_U64.withName("wr_cnt"))
          .withName("vfio_user_write_multi");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle WR_CNT = LAYOUT.varHandle(PathElement.groupElement("wr_cnt"));

  private WriteMulti() {}

  /** {@code wr_cnt}: entries that follow. */
  public static long wrCnt(MemorySegment segment, long offset) {
    return (long) WR_CNT.get(segment, offset);
  }

  /** Sets {@link #wrCnt}. */
  public static void wrCnt(MemorySegment segment, long offset, long value) {
    WR_CNT.set(segment, offset, value);
  }
}
