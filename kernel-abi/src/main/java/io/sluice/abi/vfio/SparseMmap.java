package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_region_info_cap_sparse_mmap}: capability of a region that can be mapped in
 * parts; SparseArea[nr_areas] follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  header              InfoCapHeader
 *  0x08      4  nr_areas            areas that follow
 *  0x0c      4  reserved            0
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class SparseMmap {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              InfoCapHeader.LAYOUT.withName("header"),
              Layouts.WIRE_U32.withName("nr_areas"),
              Layouts.WIRE_U32.withName("reserved"))
          .withName("vfio_region_info_cap_sparse_mmap");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle NR_AREAS = LAYOUT.varHandle(PathElement.groupElement("nr_areas"));
  private static final VarHandle RESERVED = LAYOUT.varHandle(PathElement.groupElement("reserved"));

  private SparseMmap() {}

  /** {@code nr_areas}: areas that follow. */
  public static int nrAreas(MemorySegment segment, long offset) {
    return (int) NR_AREAS.get(segment, offset);
  }

  /** Sets {@link #nrAreas}. */
  public static void nrAreas(MemorySegment segment, long offset, int value) {
    NR_AREAS.set(segment, offset, value);
  }

  /** {@code reserved}: 0. */
  public static int reserved(MemorySegment segment, long offset) {
    return (int) RESERVED.get(segment, offset);
  }

  /** Sets {@link #reserved}. */
  public static void reserved(MemorySegment segment, long offset, int value) {
    RESERVED.set(segment, offset, value);
  }
}
