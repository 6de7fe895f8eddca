package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_info}: argument of EXT_INFO: what this open of the software GPU offers.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  version             out: 1
 *  0x04      4  features            out: 0
 *  0x08      4  control_pages       out: pages in the control file
 *  0x0c      4  max_extents         out: most extents of one GEM_IMPORT_PAGES
 *  0x10      8  control_map_handle  out: of the whole control file
 *  0x18      8  vram_map_handle     out: of the whole video-memory file
 *  0x20      8  vram_aperture_bytes out: length of that file
 *  0x28      4  max_records         out: most records of one EVENT_READ
 *  0x2c      4  pad
 * </pre>
 *
 * <p>48 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtInfo {
  /** The version that docs/architecture.md describes. */
  public static final int VERSION_1 = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("version"),
              Layouts.U32.withName("features"),
              Layouts.U32.withName("control_pages"),
              Layouts.U32.withName("max_extents"),
              Layouts.U64.withName("control_map_handle"),
              Layouts.U64.withName("vram_map_handle"),
              Layouts.U64.withName("vram_aperture_bytes"),
              Layouts.U32.withName("max_records"),
              Layouts.U32.withName("pad"))
          .withName("sluice_ext_info");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VERSION = LAYOUT.varHandle(PathElement.groupElement("version"));
  private static final VarHandle FEATURES = LAYOUT.varHandle(PathElement.groupElement("features"));
  private static final VarHandle CONTROL_PAGES =
      LAYOUT.varHandle(PathElement.groupElement("control_pages"));
  private static final VarHandle MAX_EXTENTS =
      LAYOUT.varHandle(PathElement.groupElement("max_extents"));
  private static final VarHandle CONTROL_MAP_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("control_map_handle"));
  private static final VarHandle VRAM_MAP_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("vram_map_handle"));
  private static final VarHandle VRAM_APERTURE_BYTES =
      LAYOUT.varHandle(PathElement.groupElement("vram_aperture_bytes"));
  private static final VarHandle MAX_RECORDS =
      LAYOUT.varHandle(PathElement.groupElement("max_records"));

  private ExtInfo() {}

  /** {@code version}, out: 1. */
  public static int version(MemorySegment segment) {
    return (int) VERSION.get(segment, 0L);
  }

  /** Sets {@link #version}. */
  public static void version(MemorySegment segment, int value) {
    VERSION.set(segment, 0L, value);
  }

  /** {@code features}, out: 0. */
  public static int features(MemorySegment segment) {
    return (int) FEATURES.get(segment, 0L);
  }

  /** Sets {@link #features}. */
  public static void features(MemorySegment segment, int value) {
    FEATURES.set(segment, 0L, value);
  }

  /** {@code control_pages}, out: pages in the control file. */
  public static int controlPages(MemorySegment segment) {
    return (int) CONTROL_PAGES.get(segment, 0L);
  }

  /** Sets {@link #controlPages}. */
  public static void controlPages(MemorySegment segment, int value) {
    CONTROL_PAGES.set(segment, 0L, value);
  }

  /** {@code max_extents}, out: most extents of one GEM_IMPORT_PAGES. */
  public static int maxExtents(MemorySegment segment) {
    return (int) MAX_EXTENTS.get(segment, 0L);
  }

  /** Sets {@link #maxExtents}. */
  public static void maxExtents(MemorySegment segment, int value) {
    MAX_EXTENTS.set(segment, 0L, value);
  }

  /** {@code control_map_handle}, out: of the whole control file. */
  public static long controlMapHandle(MemorySegment segment) {
    return (long) CONTROL_MAP_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #controlMapHandle}. */
  public static void controlMapHandle(MemorySegment segment, long value) {
    CONTROL_MAP_HANDLE.set(segment, 0L, value);
  }

  /** {@code vram_map_handle}, out: of the whole video-memory file. */
  public static long vramMapHandle(MemorySegment segment) {
    return (long) VRAM_MAP_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #vramMapHandle}. */
  public static void vramMapHandle(MemorySegment segment, long value) {
    VRAM_MAP_HANDLE.set(segment, 0L, value);
  }

  /** {@code vram_aperture_bytes}, out: length of that file. */
  public static long vramApertureBytes(MemorySegment segment) {
    return (long) VRAM_APERTURE_BYTES.get(segment, 0L);
  }

  /** Sets {@link #vramApertureBytes}. */
  public static void vramApertureBytes(MemorySegment segment, long value) {
    VRAM_APERTURE_BYTES.set(segment, 0L, value);
  }

  /** {@code max_records}, out: most records of one EVENT_READ. */
  public static int maxRecords(MemorySegment segment) {
    return (int) MAX_RECORDS.get(segment, 0L);
  }

  /** Sets {@link #maxRecords}. */
  public static void maxRecords(MemorySegment segment, int value) {
    MAX_RECORDS.set(segment, 0L, value);
  }
}
