package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_gem_new_at}: argument of GEM_NEW_AT: GEM_NEW of video memory, at a place
 * in the video-memory file, or counted as system memory from the beginning.
 *
 * <p>80 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemNewAt {
  /** The GPU chooses the place. */
  public static final long ANYWHERE = -1;

  private static final Struct S = Struct.aligned("sluice_ext_gem_new_at");
  public static final Elements<Long> GEM = S.structs("gem", 1, PscnvGemInfo.LAYOUT, "as GEM_NEW");
  public static final U64 APERTURE_OFFSET =
      S.u64("aperture_offset", "in: bytes, a multiple of 4096; or ANYWHERE");
  public static final U32 POOL = S.u32("pool", "in: VIDEO or SYSTEM of ExtGemPool");
  public static final U32 PAD = S.u32("pad", "in: 0");
  public static final StructLayout LAYOUT = S.layout();

  private ExtGemNewAt() {}
}
