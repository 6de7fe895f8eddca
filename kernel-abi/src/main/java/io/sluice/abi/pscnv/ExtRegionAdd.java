package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_region_add}: argument of REGION_ADD: guest memory the GPU may be pointed
 * at.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  fd                  in: the file; stays the caller's
 *  0x04      4  flags               in: WRITABLE or 0; ADOPT_* alone
 *  0x08      8  offset              in: bytes into the file, a multiple of 4096
 *  0x10      8  size                in: bytes, a multiple of 4096
 *  0x18      4  region              out: 1 to MAX_REGION
 *  0x1c      4  pad
 * </pre>
 *
 * <p>32 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtRegionAdd {
  /** The GPU may write to the region. */
  public static final int WRITABLE = 1;

  /**
   * Alone: the file becomes the control pages of this open, with what is in it. Only before
   * anything was made; no region comes of it.
   */
  public static final int ADOPT_CONTROL = 2;

  /** Alone: the file becomes the video memory of this open, with what is in it. */
  public static final int ADOPT_VRAM = 4;

  /** Highest number of a region. */
  public static final int MAX_REGION = 4095;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("fd"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("size"),
              Layouts.U32.withName("region"),
              Layouts.U32.withName("pad"))
          .withName("sluice_ext_region_add");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final VarHandle REGION = LAYOUT.varHandle(PathElement.groupElement("region"));

  private ExtRegionAdd() {}

  /** {@code fd}, in: the file; stays the caller's. */
  public static int fd(MemorySegment segment) {
    return (int) FD.get(segment, 0L);
  }

  /** Sets {@link #fd}. */
  public static void fd(MemorySegment segment, int value) {
    FD.set(segment, 0L, value);
  }

  /** {@code flags}, in: WRITABLE or 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code offset}, in: bytes into the file, a multiple of 4096. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes, a multiple of 4096. */
  public static long size(MemorySegment segment) {
    return (long) SIZE_FIELD.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, value);
  }

  /** {@code region}, out: 1 to MAX_REGION. */
  public static int region(MemorySegment segment) {
    return (int) REGION.get(segment, 0L);
  }

  /** Sets {@link #region}. */
  public static void region(MemorySegment segment, int value) {
    REGION.set(segment, 0L, value);
  }
}
