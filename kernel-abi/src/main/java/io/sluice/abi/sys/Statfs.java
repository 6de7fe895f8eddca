package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct statfs}: what fstatfs tells.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  f_type              magic number of the file system
 *  0x08    112  pad_rest[14]
 * </pre>
 *
 * <p>120 bytes. Source: sys/statfs.h, x86-64. Only the type is read.
 */
final class Statfs {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("f_type"),
              MemoryLayout.sequenceLayout(14, Layouts.U64).withName("pad_rest"))
          .withName("statfs");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle F_TYPE = LAYOUT.varHandle(PathElement.groupElement("f_type"));

  private Statfs() {}

  /** {@code f_type}: magic number of the file system. */
  static long type(MemorySegment segment) {
    return (long) F_TYPE.get(segment, 0L);
  }

  /** Sets {@link #type}. */
  static void type(MemorySegment segment, long value) {
    F_TYPE.set(segment, 0L, value);
  }
}
