package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_user_write_multi}: body of REGION_WRITE_MULTI; entries of ENTRY_SIZE follow: a
 * RegionAccess and 8 bytes of data.
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_REGION_WRITE_MULTI".
 */
public final class WriteMulti {
  /** Bytes of data in each entry, of which the first count are meant. */
  public static final int MAX_DATA_BYTES = 8;

  /** Bytes of an entry. */
  public static final long ENTRY_SIZE = RegionAccess.SIZE + MAX_DATA_BYTES;

  private static final Struct S = Struct.packed("vfio_user_write_multi");
  public static final U64 WR_CNT = S.u64("wr_cnt", "entries that follow");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private WriteMulti() {}
}
