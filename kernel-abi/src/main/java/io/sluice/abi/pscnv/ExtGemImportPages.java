package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * {@code struct sluice_ext_gem_import_pages}: argument of GEM_IMPORT_PAGES: fills a buffer of
 * GEM_IMPORT.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              in: buffer
 *  0x04      4  count               in: extents, 1 to MAX_EXTENTS
 *  0x08      8  offset              in: byte in the buffer where the first extent goes
 *  0x10   6144  extents[256]        ranges, one behind the other in the buffer
 * </pre>
 *
 * <p>6160 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemImportPages {
  /** Most extents of one call. */
  public static final int MAX_EXTENTS = 256;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("count"),
              Layouts.U64.withName("offset"),
              MemoryLayout.sequenceLayout(256, ExtExtent.LAYOUT).withName("extents"))
          .withName("sluice_ext_gem_import_pages");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final long EXTENTS_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("extents"));

  private ExtGemImportPages() {}

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code count}, in: extents, 1 to MAX_EXTENTS. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** {@code offset}, in: byte in the buffer where the first extent goes. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }

  /**
   * Offset of record {@code index}. {@code extents}: ranges, one behind the other in the buffer.
   */
  public static long extentOffset(int index) {
    return EXTENTS_OFFSET + Objects.checkIndex(index, 256) * ExtExtent.SIZE;
  }
}
