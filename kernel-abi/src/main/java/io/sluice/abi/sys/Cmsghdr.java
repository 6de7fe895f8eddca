package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct cmsghdr}: head of a control message; its data follows.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  cmsg_len            bytes with this head, without padding
 *  0x08      4  cmsg_level          protocol
 *  0x0c      4  cmsg_type           type in the protocol
 * </pre>
 *
 * <p>16 bytes. Source: sys/socket.h, x86-64.
 */
final class Cmsghdr {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("cmsg_len"),
              Layouts.U32.withName("cmsg_level"),
              Layouts.U32.withName("cmsg_type"))
          .withName("cmsghdr");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CMSG_LEN = LAYOUT.varHandle(PathElement.groupElement("cmsg_len"));
  private static final VarHandle CMSG_LEVEL =
      LAYOUT.varHandle(PathElement.groupElement("cmsg_level"));
  private static final VarHandle CMSG_TYPE =
      LAYOUT.varHandle(PathElement.groupElement("cmsg_type"));

  private Cmsghdr() {}

  /** {@code cmsg_len}: bytes with this head, without padding. */
  static long length(MemorySegment segment, long offset) {
    return (long) CMSG_LEN.get(segment, offset);
  }

  /** Sets {@link #length}. */
  static void length(MemorySegment segment, long offset, long value) {
    CMSG_LEN.set(segment, offset, value);
  }

  /** {@code cmsg_level}: protocol. */
  static int level(MemorySegment segment, long offset) {
    return (int) CMSG_LEVEL.get(segment, offset);
  }

  /** Sets {@link #level}. */
  static void level(MemorySegment segment, long offset, int value) {
    CMSG_LEVEL.set(segment, offset, value);
  }

  /** {@code cmsg_type}: type in the protocol. */
  static int type(MemorySegment segment, long offset) {
    return (int) CMSG_TYPE.get(segment, offset);
  }

  /** Sets {@link #type}. */
  static void type(MemorySegment segment, long offset, int value) {
    CMSG_TYPE.set(segment, offset, value);
  }
}
