package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Results of QUOTA_QUERY. {@code struct sluice_quota_query}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u64      vram_used        out: bytes
 *   0x08  u64      vram_limit       out: bytes this guest may use now
 *   0x10  u64      vram_total       out: bytes of the GPU
 *   0x18  u64      sysmem_used      out: bytes registered
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class QuotaQuery {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_LONG.withName("vram_used"),
              ValueLayout.JAVA_LONG.withName("vram_limit"),
              ValueLayout.JAVA_LONG.withName("vram_total"),
              ValueLayout.JAVA_LONG.withName("sysmem_used"))
          .withName("sluice_quota_query");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VRAM_USED = LAYOUT.varHandle(groupElement("vram_used"));
  private static final VarHandle VRAM_LIMIT = LAYOUT.varHandle(groupElement("vram_limit"));
  private static final VarHandle VRAM_TOTAL = LAYOUT.varHandle(groupElement("vram_total"));
  private static final VarHandle SYSMEM_USED = LAYOUT.varHandle(groupElement("sysmem_used"));

  private QuotaQuery() {}

  /** {@code vram_used}: Out: bytes. */
  public static long vramUsed(MemorySegment segment, long offset) {
    return (long) VRAM_USED.get(segment, offset);
  }

  /** Sets {@code vram_used}. */
  public static void vramUsed(MemorySegment segment, long offset, long value) {
    VRAM_USED.set(segment, offset, value);
  }

  /** {@code vram_limit}: Out: bytes this guest may use now. */
  public static long vramLimit(MemorySegment segment, long offset) {
    return (long) VRAM_LIMIT.get(segment, offset);
  }

  /** Sets {@code vram_limit}. */
  public static void vramLimit(MemorySegment segment, long offset, long value) {
    VRAM_LIMIT.set(segment, offset, value);
  }

  /** {@code vram_total}: Out: bytes of the GPU. */
  public static long vramTotal(MemorySegment segment, long offset) {
    return (long) VRAM_TOTAL.get(segment, offset);
  }

  /** Sets {@code vram_total}. */
  public static void vramTotal(MemorySegment segment, long offset, long value) {
    VRAM_TOTAL.set(segment, offset, value);
  }

  /** {@code sysmem_used}: Out: bytes registered. */
  public static long sysmemUsed(MemorySegment segment, long offset) {
    return (long) SYSMEM_USED.get(segment, offset);
  }

  /** Sets {@code sysmem_used}. */
  public static void sysmemUsed(MemorySegment segment, long offset, long value) {
    SYSMEM_USED.set(segment, offset, value);
  }
}
