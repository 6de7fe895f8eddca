package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of MEM_ALLOC. {@code struct sluice_mem_alloc}, sluice_abi.h. */
public final class MemAlloc {
  private static final Struct S = Struct.aligned("sluice_mem_alloc");
  public static final U32 FLAGS =
      S.u32("flags", "in: pscnv GEM flags; only VRAM memory types (others: MEM_REGISTER)");
  public static final U32 TILE_FLAGS = S.u32("tile_flags", "in");
  public static final U32 COOKIE = S.u32("cookie", "in");
  public static final U32 HANDLE = S.u32("handle", "out");
  public static final U64 SIZE_FIELD = S.u64("size", "in, out: bytes, rounded up");
  public static final U64 APERTURE_OFFSET =
      S.u64("aperture_offset", "out: byte offset in BAR 2; ~0 without an aperture");
  public static final StructLayout LAYOUT = S.layout();

  private MemAlloc() {}
}
