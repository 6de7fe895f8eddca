package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_gem_import}: argument of GEM_IMPORT: makes an empty buffer for pages of
 * regions.
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemImport {
  private static final Struct S = Struct.aligned("sluice_ext_gem_import");
  public static final U32 HANDLE = S.u32("handle", "out");
  public static final U32 FLAGS = S.u32("flags", "in: PscnvGem");
  public static final U32 COOKIE = S.u32("cookie", "in: as in GEM_NEW");
  public static final U64 SIZE_FIELD = S.u64("size", "in: bytes, a multiple of 4096");
  public static final StructLayout LAYOUT = S.layout();

  private ExtGemImport() {}
}
