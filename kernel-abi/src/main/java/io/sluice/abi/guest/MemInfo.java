package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of MEM_INFO. {@code struct sluice_mem_info}, sluice_abi.h. */
public final class MemInfo {
  private static final Struct S = Struct.aligned("sluice_mem_info");
  public static final U32 HANDLE = S.u32("handle", "in");
  public static final U32 FLAGS = S.u32("flags", "out");
  public static final U32 TILE_FLAGS = S.u32("tile_flags", "out");
  public static final U32 COOKIE = S.u32("cookie", "out");
  public static final U64 SIZE_FIELD = S.u64("size", "out: bytes");
  public static final U64 APERTURE_OFFSET =
      S.u64("aperture_offset", "out: ~0 when not in the aperture");
  public static final StructLayout LAYOUT = S.layout();

  private MemInfo() {}
}
