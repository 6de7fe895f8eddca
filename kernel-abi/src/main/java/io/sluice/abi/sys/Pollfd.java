package io.sluice.abi.sys;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct pollfd}: one descriptor of a poll.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  fd                  descriptor; negative ones are skipped
 *  0x04      2  events              wanted
 *  0x06      2  revents             out: ready
 * </pre>
 *
 * <p>8 bytes. Source: poll.h.
 */
final class Pollfd {
  /** The layout, with the names of the C structure. */
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("fd"),
              Layouts.U16.withName("events"),
              Layouts.U16.withName("revents"))
          .withName("pollfd");

  /** Bytes of the structure. */
  static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));
  private static final VarHandle EVENTS = LAYOUT.varHandle(PathElement.groupElement("events"));
  private static final VarHandle REVENTS = LAYOUT.varHandle(PathElement.groupElement("revents"));

  private Pollfd() {}

  /** {@code fd}: descriptor; negative ones are skipped. */
  static int fd(MemorySegment segment, long offset) {
    return (int) FD.get(segment, offset);
  }

  /** Sets {@link #fd}. */
  static void fd(MemorySegment segment, long offset, int value) {
    FD.set(segment, offset, value);
  }

  /** {@code events}: wanted. */
  static short events(MemorySegment segment, long offset) {
    return (short) EVENTS.get(segment, offset);
  }

  /** Sets {@link #events}. */
  static void events(MemorySegment segment, long offset, short value) {
    EVENTS.set(segment, offset, value);
  }

  /** {@code revents}, out: ready. */
  static short revents(MemorySegment segment, long offset) {
    return (short) REVENTS.get(segment, offset);
  }

  /** Sets {@link #revents}. */
  static void revents(MemorySegment segment, long offset, short value) {
    REVENTS.set(segment, offset, value);
  }
}
