package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct timespec}: a time in seconds and nanoseconds.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  tv_sec              seconds
 *  0x08      8  tv_nsec             nanoseconds, 0 to 999999999
 * </pre>
 *
 * <p>16 bytes. Source: time.h, x86-64.
 */
final class Timespec {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U64.withName("tv_sec"), Layouts.U64.withName("tv_nsec"))
          .withName("timespec");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle TV_SEC = LAYOUT.varHandle(PathElement.groupElement("tv_sec"));
  private static final VarHandle TV_NSEC = LAYOUT.varHandle(PathElement.groupElement("tv_nsec"));

  private Timespec() {}

  /** {@code tv_sec}: seconds. */
  static long seconds(MemorySegment segment) {
    return (long) TV_SEC.get(segment, 0L);
  }

  /** Sets {@link #seconds}. */
  static void seconds(MemorySegment segment, long value) {
    TV_SEC.set(segment, 0L, value);
  }

  /** {@code tv_nsec}: nanoseconds, 0 to 999999999. */
  static long nanos(MemorySegment segment) {
    return (long) TV_NSEC.get(segment, 0L);
  }

  /** Sets {@link #nanos}. */
  static void nanos(MemorySegment segment, long value) {
    TV_NSEC.set(segment, 0L, value);
  }
}
