package io.sluice.abi.drm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_gem_open}: argument of DRM_IOCTL_GEM_OPEN.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  name                in: global name
 *  0x04      4  handle              out: buffer
 *  0x08      8  size                out: bytes
 * </pre>
 *
 * <p>16 bytes. Source: drm/drm.h.
 */
public final class GemOpen {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("name"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("size"))
          .withName("drm_gem_open");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle NAME = LAYOUT.varHandle(PathElement.groupElement("name"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private GemOpen() {}

  /** {@code name}, in: global name. */
  public static int name(MemorySegment segment) {
    return (int) NAME.get(segment, 0L);
  }

  /** Sets {@link #name}. */
  public static void name(MemorySegment segment, int value) {
    NAME.set(segment, 0L, value);
  }

  /** {@code handle}, out: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code size}, out: bytes. */
  public static long size(MemorySegment segment) {
    return (long) SIZE_FIELD.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, value);
  }
}
