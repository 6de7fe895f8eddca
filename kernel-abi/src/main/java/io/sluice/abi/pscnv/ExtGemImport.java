package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_gem_import}: argument of GEM_IMPORT: makes an empty buffer for pages of
 * regions.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              out
 *  0x04      4  flags               in: PscnvGem
 *  0x08      4  cookie              in: as in GEM_NEW
 *  0x0c      4  pad
 *  0x10      8  size                in: bytes, a multiple of 4096
 * </pre>
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemImport {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("cookie"),
              Layouts.U32.withName("pad"),
              Layouts.U64.withName("size"))
          .withName("sluice_ext_gem_import");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle COOKIE = LAYOUT.varHandle(PathElement.groupElement("cookie"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private ExtGemImport() {}

  /** {@code handle}, out. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code flags}, in: PscnvGem. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code cookie}, in: as in GEM_NEW. */
  public static int cookie(MemorySegment segment) {
    return (int) COOKIE.get(segment, 0L);
  }

  /** Sets {@link #cookie}. */
  public static void cookie(MemorySegment segment, int value) {
    COOKIE.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes, a multiple of 4096. */
  public static long size(MemorySegment segment) {
    return (long) SIZE_FIELD.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, value);
  }
}
