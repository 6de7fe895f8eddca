package io.sluice.abi.drm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_gem_flink}: argument of DRM_IOCTL_GEM_FLINK.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              in: buffer
 *  0x04      4  name                out: global name
 * </pre>
 *
 * <p>8 bytes. Source: drm/drm.h.
 */
public final class GemFlink {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("handle"), Layouts.U32.withName("name"))
          .withName("drm_gem_flink");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle NAME = LAYOUT.varHandle(PathElement.groupElement("name"));

  private GemFlink() {}

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code name}, out: global name. */
  public static int name(MemorySegment segment) {
    return (int) NAME.get(segment, 0L);
  }

  /** Sets {@link #name}. */
  public static void name(MemorySegment segment, int value) {
    NAME.set(segment, 0L, value);
  }
}
