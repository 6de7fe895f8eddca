package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_dirty_read}: argument of DIRTY_READ: the pages the GPU wrote.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              in: buffer
 *  0x04      4  flags               in: CLEAR or 0
 *  0x08      8  first_page          in: index of the first page asked for
 *  0x10      4  pages               in: how many, at most MAX_PAGES
 *  0x14      4  pad
 *  0x18   4096  bitmap[4096]        out: a bit per page, the lowest first
 * </pre>
 *
 * <p>4120 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtDirtyRead {
  /** Forget what is returned. */
  public static final int CLEAR = 1;

  /** Most pages of one call. */
  public static final int MAX_PAGES = 0x8000;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("first_page"),
              Layouts.U32.withName("pages"),
              Layouts.U32.withName("pad"),
              MemoryLayout.sequenceLayout(4096, Layouts.U8).withName("bitmap"))
          .withName("sluice_ext_dirty_read");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle FIRST_PAGE =
      LAYOUT.varHandle(PathElement.groupElement("first_page"));
  private static final VarHandle PAGES = LAYOUT.varHandle(PathElement.groupElement("pages"));
  private static final long BITMAP_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("bitmap"));

  private ExtDirtyRead() {}

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code flags}, in: CLEAR or 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code first_page}, in: index of the first page asked for. */
  public static long firstPage(MemorySegment segment) {
    return (long) FIRST_PAGE.get(segment, 0L);
  }

  /** Sets {@link #firstPage}. */
  public static void firstPage(MemorySegment segment, long value) {
    FIRST_PAGE.set(segment, 0L, value);
  }

  /** {@code pages}, in: how many, at most MAX_PAGES. */
  public static long pages(MemorySegment segment) {
    return Integer.toUnsignedLong((int) PAGES.get(segment, 0L));
  }

  /** Sets {@link #pages}. */
  public static void pages(MemorySegment segment, long value) {
    PAGES.set(segment, 0L, (int) value);
  }

  /** {@code bitmap}, out: a bit per page, the lowest first. */
  public static MemorySegment bitmap(MemorySegment segment) {
    return segment.asSlice(BITMAP_OFFSET, 4096);
  }
}
