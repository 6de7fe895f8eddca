package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_info_cap_header}: head of a capability.
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class InfoCapHeader {
  /** Kind: SparseMmap. */
  public static final int SPARSE_MMAP = 1;

  private static final Struct S = Struct.packed("vfio_info_cap_header");
  public static final U16 ID = S.u16("id", "kind");
  public static final U16 VERSION = S.u16("version", "of this kind");
  public static final U32 NEXT =
      S.u32("next", "offset of the next one from the start of the information; 0: none");
  public static final StructLayout LAYOUT = S.layout();

  private InfoCapHeader() {}
}
