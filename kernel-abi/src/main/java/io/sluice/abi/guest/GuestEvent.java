package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One event of the queue in BAR 1. {@code struct sluice_event}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      kind             SLUICE_EVENT_*; never 0
 *   0x04  u32      id
 *   0x08  u32      code
 *   0x0c  u32      info
 *   0x10  u64      address
 *   0x18  u64      time_ns          GPU time
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class GuestEvent {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("kind"),
              ValueLayout.JAVA_INT.withName("id"),
              ValueLayout.JAVA_INT.withName("code"),
              ValueLayout.JAVA_INT.withName("info"),
              ValueLayout.JAVA_LONG.withName("address"),
              ValueLayout.JAVA_LONG.withName("time_ns"))
          .withName("sluice_event");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle KIND = LAYOUT.varHandle(groupElement("kind"));
  private static final VarHandle ID = LAYOUT.varHandle(groupElement("id"));
  private static final VarHandle CODE = LAYOUT.varHandle(groupElement("code"));
  private static final VarHandle INFO = LAYOUT.varHandle(groupElement("info"));
  private static final VarHandle ADDRESS = LAYOUT.varHandle(groupElement("address"));
  private static final VarHandle TIME_NS = LAYOUT.varHandle(groupElement("time_ns"));

  private GuestEvent() {}

  /** {@code kind}: SLUICE_EVENT_*; never 0. */
  public static int kind(MemorySegment segment, long offset) {
    return (int) KIND.get(segment, offset);
  }

  /** Sets {@code kind}. */
  public static void kind(MemorySegment segment, long offset, int value) {
    KIND.set(segment, offset, value);
  }

  /** {@code id}: Id. */
  public static int id(MemorySegment segment, long offset) {
    return (int) ID.get(segment, offset);
  }

  /** Sets {@code id}. */
  public static void id(MemorySegment segment, long offset, int value) {
    ID.set(segment, offset, value);
  }

  /** {@code code}: Code. */
  public static int code(MemorySegment segment, long offset) {
    return (int) CODE.get(segment, offset);
  }

  /** Sets {@code code}. */
  public static void code(MemorySegment segment, long offset, int value) {
    CODE.set(segment, offset, value);
  }

  /** {@code info}: Info. */
  public static int info(MemorySegment segment, long offset) {
    return (int) INFO.get(segment, offset);
  }

  /** Sets {@code info}. */
  public static void info(MemorySegment segment, long offset, int value) {
    INFO.set(segment, offset, value);
  }

  /** {@code address}: Address. */
  public static long address(MemorySegment segment, long offset) {
    return (long) ADDRESS.get(segment, offset);
  }

  /** Sets {@code address}. */
  public static void address(MemorySegment segment, long offset, long value) {
    ADDRESS.set(segment, offset, value);
  }

  /** {@code time_ns}: GPU time. */
  public static long timeNs(MemorySegment segment, long offset) {
    return (long) TIME_NS.get(segment, offset);
  }

  /** Sets {@code time_ns}. */
  public static void timeNs(MemorySegment segment, long offset, long value) {
    TIME_NS.set(segment, offset, value);
  }
}
