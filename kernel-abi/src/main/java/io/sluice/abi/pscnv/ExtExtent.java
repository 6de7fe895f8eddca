package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_extent}: a range of a region, in GEM_IMPORT_PAGES.
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtExtent {
  private static final Struct S = Struct.aligned("sluice_ext_extent");
  public static final U32 REGION = S.u32("region", "number from REGION_ADD");
  public static final U64 OFFSET = S.u64("offset", "bytes into the region, a multiple of 4096");
  public static final U64 BYTES = S.u64("bytes", "length, a multiple of 4096");
  public static final StructLayout LAYOUT = S.layout();

  private ExtExtent() {}
}
