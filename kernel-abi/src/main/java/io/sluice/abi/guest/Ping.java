package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of PING. {@code struct sluice_ping}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u64      value            in: anything
 *   0x08  u64      echo             out: the same
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class Ping {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_LONG.withName("value"), ValueLayout.JAVA_LONG.withName("echo"))
          .withName("sluice_ping");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VALUE = LAYOUT.varHandle(groupElement("value"));
  private static final VarHandle ECHO = LAYOUT.varHandle(groupElement("echo"));

  private Ping() {}

  /** {@code value}: In: anything. */
  public static long value(MemorySegment segment, long offset) {
    return (long) VALUE.get(segment, offset);
  }

  /** Sets {@code value}. */
  public static void value(MemorySegment segment, long offset, long value) {
    VALUE.set(segment, offset, value);
  }

  /** {@code echo}: Out: the same. */
  public static long echo(MemorySegment segment, long offset) {
    return (long) ECHO.get(segment, offset);
  }

  /** Sets {@code echo}. */
  public static void echo(MemorySegment segment, long offset, long value) {
    ECHO.set(segment, offset, value);
  }
}
