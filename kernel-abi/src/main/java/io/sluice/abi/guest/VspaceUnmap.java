package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of VSPACE_UNMAP. {@code struct sluice_vspace_unmap}, sluice_abi.h. */
public final class VspaceUnmap {
  private static final Struct S = Struct.aligned("sluice_vspace_unmap");
  public static final U32 VID = S.u32("vid", "in");
  public static final U64 OFFSET = S.u64("offset", "in: any address inside the mapping");
  public static final StructLayout LAYOUT = S.layout();

  private VspaceUnmap() {}
}
