package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct iovec}: one buffer of a vectored call.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  iov_base            address
 *  0x08      8  iov_len             bytes
 * </pre>
 *
 * <p>16 bytes. Source: sys/uio.h.
 */
final class Iovec {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U64.withName("iov_base"), Layouts.U64.withName("iov_len"))
          .withName("iovec");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle IOV_BASE = LAYOUT.varHandle(PathElement.groupElement("iov_base"));
  private static final VarHandle IOV_LEN = LAYOUT.varHandle(PathElement.groupElement("iov_len"));

  private Iovec() {}

  /** {@code iov_base}: address. */
  static long base(MemorySegment segment) {
    return (long) IOV_BASE.get(segment, 0L);
  }

  /** Sets {@link #base}. */
  static void base(MemorySegment segment, long value) {
    IOV_BASE.set(segment, 0L, value);
  }

  /** {@code iov_len}: bytes. */
  static long length(MemorySegment segment) {
    return (long) IOV_LEN.get(segment, 0L);
  }

  /** Sets {@link #length}. */
  static void length(MemorySegment segment, long value) {
    IOV_LEN.set(segment, 0L, value);
  }
}
