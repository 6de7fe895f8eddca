package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_gem_info}: argument of GEM_NEW and GEM_INFO.
 *
 * <p>64 bytes. Source: pscnv_drm.h.
 */
public final class PscnvGemInfo {
  private static final Struct S = Struct.aligned("drm_pscnv_gem_info");
  public static final U32 HANDLE = S.u32("handle", "out of GEM_NEW, in of GEM_INFO");
  public static final U32 COOKIE = S.u32("cookie", "in: any number, shown in debug output");
  public static final U32 FLAGS = S.u32("flags", "in: PscnvGem");
  public static final U32 TILE_FLAGS = S.u32("tile_flags", "in: storage type, 0 for linear");
  public static final U64 SIZE_FIELD = S.u64("size", "in, out: bytes, rounded up");
  public static final U64 MAP_HANDLE =
      S.u64("map_handle", "out: what mmap takes as offset; see PscnvMapHandle");
  public static final Elements<U32> USER = S.u32s("user", 8, "in: words the kernel only keeps");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvGemInfo() {}
}
