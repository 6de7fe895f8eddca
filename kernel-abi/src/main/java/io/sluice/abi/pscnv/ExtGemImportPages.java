package io.sluice.abi.pscnv;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_gem_import_pages}: argument of GEM_IMPORT_PAGES: fills a buffer of
 * GEM_IMPORT.
 *
 * <p>6160 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemImportPages {
  /** Most extents of one call. */
  public static final int MAX_EXTENTS = 256;

  private static final Struct S = Struct.aligned("sluice_ext_gem_import_pages");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U32 COUNT = S.u32("count", "in: extents, 1 to MAX_EXTENTS");
  public static final U64 OFFSET =
      S.u64("offset", "in: byte in the buffer where the first extent goes");
  public static final Elements<Long> EXTENTS =
      S.structs("extents", 256, ExtExtent.LAYOUT, "ranges, one behind the other in the buffer");
  public static final StructLayout LAYOUT = S.layout();

  private ExtGemImportPages() {}
}
