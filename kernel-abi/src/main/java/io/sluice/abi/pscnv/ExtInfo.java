package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_info}: argument of EXT_INFO: what this open of the software GPU offers.
 *
 * <p>48 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtInfo {
  /** The version that docs/architecture.md describes. */
  public static final int VERSION_1 = 1;

  private static final Struct S = Struct.aligned("sluice_ext_info");
  public static final U32 VERSION = S.u32("version", "out: 1");
  public static final U32 FEATURES = S.u32("features", "out: 0");
  public static final U32 CONTROL_PAGES = S.u32("control_pages", "out: pages in the control file");
  public static final U32 MAX_EXTENTS =
      S.u32("max_extents", "out: most extents of one GEM_IMPORT_PAGES");
  public static final U64 CONTROL_MAP_HANDLE =
      S.u64("control_map_handle", "out: of the whole control file");
  public static final U64 VRAM_MAP_HANDLE =
      S.u64("vram_map_handle", "out: of the whole video-memory file");
  public static final U64 VRAM_APERTURE_BYTES =
      S.u64("vram_aperture_bytes", "out: length of that file");
  public static final U32 MAX_RECORDS = S.u32("max_records", "out: most records of one EVENT_READ");
  public static final StructLayout LAYOUT = S.layout();

  private ExtInfo() {}
}
