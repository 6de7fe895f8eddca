package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_gem_info}: argument of GEM_NEW and GEM_INFO.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              out of GEM_NEW, in of GEM_INFO
 *  0x04      4  cookie              in: any number, shown in debug output
 *  0x08      4  flags               in: PscnvGem
 *  0x0c      4  tile_flags          in: storage type, 0 for linear
 *  0x10      8  size                in, out: bytes, rounded up
 *  0x18      8  map_handle          out: what mmap takes as offset; see PscnvMapHandle
 *  0x20     32  user[8]             in: words the kernel only keeps
 * </pre>
 *
 * <p>64 bytes. Source: pscnv_drm.h.
 */
public final class PscnvGemInfo {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("cookie"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("tile_flags"),
              Layouts.U64.withName("size"),
              Layouts.U64.withName("map_handle"),
              MemoryLayout.sequenceLayout(8, Layouts.U32).withName("user"))
          .withName("drm_pscnv_gem_info");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle COOKIE = LAYOUT.varHandle(PathElement.groupElement("cookie"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle TILE_FLAGS =
      LAYOUT.varHandle(PathElement.groupElement("tile_flags"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final VarHandle MAP_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("map_handle"));
  private static final VarHandle USER =
      LAYOUT.varHandle(PathElement.groupElement("user"), PathElement.sequenceElement());

  private PscnvGemInfo() {}

  /** {@code handle}, out of GEM_NEW, in of GEM_INFO. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code cookie}, in: any number, shown in debug output. */
  public static int cookie(MemorySegment segment) {
    return (int) COOKIE.get(segment, 0L);
  }

  /** Sets {@link #cookie}. */
  public static void cookie(MemorySegment segment, int value) {
    COOKIE.set(segment, 0L, value);
  }

  /** {@code flags}, in: PscnvGem. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code tile_flags}, in: storage type, 0 for linear. */
  public static int tileFlags(MemorySegment segment) {
    return (int) TILE_FLAGS.get(segment, 0L);
  }

  /** Sets {@link #tileFlags}. */
  public static void tileFlags(MemorySegment segment, int value) {
    TILE_FLAGS.set(segment, 0L, value);
  }

  /** {@code size}, in, out: bytes, rounded up. */
  public static long size(MemorySegment segment) {
    return (long) SIZE_FIELD.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, value);
  }

  /** {@code map_handle}, out: what mmap takes as offset; see PscnvMapHandle. */
  public static long mapHandle(MemorySegment segment) {
    return (long) MAP_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #mapHandle}. */
  public static void mapHandle(MemorySegment segment, long value) {
    MAP_HANDLE.set(segment, 0L, value);
  }

  /** {@code user}, in: words the kernel only keeps. */
  public static int user(MemorySegment segment, int index) {
    return (int) USER.get(segment, 0L, (long) index);
  }

  /** Sets {@link #user}. */
  public static void user(MemorySegment segment, int index, int value) {
    USER.set(segment, 0L, (long) index, value);
  }
}
