package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The event queue in BAR 1; its entries follow. {@code struct sluice_event_queue}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      head             host
 *   0x04  u32      lost             host
 *   0x08  u32[14]  pad0
 *   0x40  u32      tail             guest
 *   0x44  u32      touched          guest
 *   0x48  u32[14]  pad1
 *   0x80  event[128] entries
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class EventQueue {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("head"),
              ValueLayout.JAVA_INT.withName("lost"),
              MemoryLayout.sequenceLayout(14, ValueLayout.JAVA_INT).withName("pad0"),
              ValueLayout.JAVA_INT.withName("tail"),
              ValueLayout.JAVA_INT.withName("touched"),
              MemoryLayout.sequenceLayout(14, ValueLayout.JAVA_INT).withName("pad1"),
              MemoryLayout.sequenceLayout(128, GuestEvent.LAYOUT).withName("entries"))
          .withName("sluice_event_queue");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HEAD = LAYOUT.varHandle(groupElement("head"));
  private static final VarHandle LOST = LAYOUT.varHandle(groupElement("lost"));
  private static final VarHandle TAIL = LAYOUT.varHandle(groupElement("tail"));
  private static final VarHandle TOUCHED = LAYOUT.varHandle(groupElement("touched"));

  /** Offset of {@code entries} in bytes. */
  public static final long ENTRIES_OFFSET = LAYOUT.byteOffset(groupElement("entries"));

  private EventQueue() {}

  /** {@code head}, with acquire order: Host. */
  public static int head(MemorySegment segment, long offset) {
    return (int) HEAD.getAcquire(segment, offset);
  }

  /** Sets {@code head}, with release order. */
  public static void head(MemorySegment segment, long offset, int value) {
    HEAD.setRelease(segment, offset, value);
  }

  /** {@code lost}: Host. */
  public static int lost(MemorySegment segment, long offset) {
    return (int) LOST.get(segment, offset);
  }

  /** Sets {@code lost}. */
  public static void lost(MemorySegment segment, long offset, int value) {
    LOST.set(segment, offset, value);
  }

  /** {@code tail}, with acquire order: Guest. */
  public static int tail(MemorySegment segment, long offset) {
    return (int) TAIL.getAcquire(segment, offset);
  }

  /** Sets {@code tail}, with release order. */
  public static void tail(MemorySegment segment, long offset, int value) {
    TAIL.setRelease(segment, offset, value);
  }

  /** {@code touched}, with acquire order: Guest. */
  public static int touched(MemorySegment segment, long offset) {
    return (int) TOUCHED.getAcquire(segment, offset);
  }

  /** Sets {@code touched}, with release order. */
  public static void touched(MemorySegment segment, long offset, int value) {
    TOUCHED.setRelease(segment, offset, value);
  }
}
