package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_extent}: a range of a region, in GEM_IMPORT_PAGES.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  region              number from REGION_ADD
 *  0x04      4  pad
 *  0x08      8  offset              bytes into the region, a multiple of 4096
 *  0x10      8  bytes               length, a multiple of 4096
 * </pre>
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtExtent {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("region"),
              Layouts.U32.withName("pad"),
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("bytes"))
          .withName("sluice_ext_extent");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle REGION = LAYOUT.varHandle(PathElement.groupElement("region"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle BYTES = LAYOUT.varHandle(PathElement.groupElement("bytes"));

  private ExtExtent() {}

  /** {@code region}: number from REGION_ADD. */
  public static int region(MemorySegment segment, long offset) {
    return (int) REGION.get(segment, offset);
  }

  /** Sets {@link #region}. */
  public static void region(MemorySegment segment, long offset, int value) {
    REGION.set(segment, offset, value);
  }

  /** {@code offset}: bytes into the region, a multiple of 4096. */
  public static long offset(MemorySegment segment, long offset) {
    return (long) OFFSET.get(segment, offset);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long offset, long value) {
    OFFSET.set(segment, offset, value);
  }

  /** {@code bytes}: length, a multiple of 4096. */
  public static long bytes(MemorySegment segment, long offset) {
    return (long) BYTES.get(segment, offset);
  }

  /** Sets {@link #bytes}. */
  public static void bytes(MemorySegment segment, long offset, long value) {
    BYTES.set(segment, offset, value);
  }
}
