package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_gem_new_at}: argument of GEM_NEW_AT: GEM_NEW of video memory, at a place
 * in the video-memory file, or counted as system memory from the beginning.
 *
 * <pre>
 * offset  size  field
 *  0x00     64  gem                 as GEM_NEW
 *  0x40      8  aperture_offset     in: bytes, a multiple of 4096; or ANYWHERE
 *  0x48      4  pool                in: VIDEO or SYSTEM of {@link ExtGemPool}
 *  0x4c      4  pad                 in: 0
 * </pre>
 *
 * <p>80 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemNewAt {
  /** The GPU chooses the place. */
  public static final long ANYWHERE = -1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              PscnvGemInfo.LAYOUT.withName("gem"),
              Layouts.U64.withName("aperture_offset"),
              Layouts.U32.withName("pool"),
              Layouts.U32.withName("pad"))
          .withName("sluice_ext_gem_new_at");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long GEM_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("gem"));
  private static final VarHandle APERTURE_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("aperture_offset"));
  private static final VarHandle POOL = LAYOUT.varHandle(PathElement.groupElement("pool"));
  private static final VarHandle PAD = LAYOUT.varHandle(PathElement.groupElement("pad"));

  private ExtGemNewAt() {}

  /** {@code gem}: as GEM_NEW. */
  public static MemorySegment gem(MemorySegment segment) {
    return segment.asSlice(GEM_OFFSET, PscnvGemInfo.SIZE);
  }

  /** {@code aperture_offset}, in: bytes, a multiple of 4096; or {@link #ANYWHERE}. */
  public static long apertureOffset(MemorySegment segment) {
    return (long) APERTURE_OFFSET.get(segment, 0L);
  }

  /** Sets {@link #apertureOffset}. */
  public static void apertureOffset(MemorySegment segment, long value) {
    APERTURE_OFFSET.set(segment, 0L, value);
  }

  /** {@code pool}, in: VIDEO or SYSTEM of {@link ExtGemPool}. */
  public static int pool(MemorySegment segment) {
    return (int) POOL.get(segment, 0L);
  }

  /** Sets {@link #pool}. */
  public static void pool(MemorySegment segment, int value) {
    POOL.set(segment, 0L, value);
  }

  /** {@code pad}, in: 0. */
  public static int pad(MemorySegment segment) {
    return (int) PAD.get(segment, 0L);
  }
}
