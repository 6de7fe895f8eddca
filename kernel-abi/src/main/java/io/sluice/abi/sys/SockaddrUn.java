package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sockaddr_un}: address of a UNIX socket.
 *
 * <pre>
 * offset  size  field
 *  0x00      2  sun_family          AF_UNIX
 *  0x02    108  sun_path[108]       path, ends with a zero byte
 * </pre>
 *
 * <p>110 bytes. Source: sys/un.h.
 */
final class SockaddrUn {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U16.withName("sun_family"),
              MemoryLayout.sequenceLayout(108, Layouts.U8).withName("sun_path"))
          .withName("sockaddr_un");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle SUN_FAMILY =
      LAYOUT.varHandle(PathElement.groupElement("sun_family"));

  /** Offset of the path. */
  static final long PATH_OFFSET = LAYOUT.byteOffset(PathElement.groupElement("sun_path"));

  private SockaddrUn() {}

  /** {@code sun_family}: AF_UNIX. */
  static short family(MemorySegment segment) {
    return (short) SUN_FAMILY.get(segment, 0L);
  }

  /** Sets {@link #family}. */
  static void family(MemorySegment segment, short value) {
    SUN_FAMILY.set(segment, 0L, value);
  }

  /** {@code sun_path}: path, ends with a zero byte. */
  static MemorySegment path(MemorySegment segment) {
    return segment.asSlice(PATH_OFFSET, 108);
  }
}
