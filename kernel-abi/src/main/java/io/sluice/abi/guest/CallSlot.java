package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One posted call in BAR 1. {@code struct sluice_slot}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      seq              guest: any value but 0, another one for each call in this slot
 *   0x04  u32      command          guest: SLUICE_CALL_*
 *   0x08  u32      status           host: SLUICE_STATUS_OK or SLUICE_STATUS_ERROR | errno
 *   0x0c  u32      done_seq         host: seq of the finished call
 *   0x10  u32[60]  args
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class CallSlot {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("seq"),
              ValueLayout.JAVA_INT.withName("command"),
              ValueLayout.JAVA_INT.withName("status"),
              ValueLayout.JAVA_INT.withName("done_seq"),
              MemoryLayout.sequenceLayout(60, ValueLayout.JAVA_INT).withName("args"))
          .withName("sluice_slot");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle SEQ = LAYOUT.varHandle(groupElement("seq"));
  private static final VarHandle COMMAND = LAYOUT.varHandle(groupElement("command"));
  private static final VarHandle STATUS = LAYOUT.varHandle(groupElement("status"));
  private static final VarHandle DONE_SEQ = LAYOUT.varHandle(groupElement("done_seq"));

  /** Offset of {@code args} in bytes. */
  public static final long ARGS_OFFSET = LAYOUT.byteOffset(groupElement("args"));

  private CallSlot() {}

  /**
   * {@code seq}, with acquire order: Guest: any value but 0, another one for each call in this
   * slot.
   */
  public static int seq(MemorySegment segment, long offset) {
    return (int) SEQ.getAcquire(segment, offset);
  }

  /** Sets {@code seq}, with release order. */
  public static void seq(MemorySegment segment, long offset, int value) {
    SEQ.setRelease(segment, offset, value);
  }

  /** {@code command}: Guest: SLUICE_CALL_*. */
  public static int command(MemorySegment segment, long offset) {
    return (int) COMMAND.get(segment, offset);
  }

  /** Sets {@code command}. */
  public static void command(MemorySegment segment, long offset, int value) {
    COMMAND.set(segment, offset, value);
  }

  /** {@code status}: Host: SLUICE_STATUS_OK or SLUICE_STATUS_ERROR | errno. */
  public static int status(MemorySegment segment, long offset) {
    return (int) STATUS.get(segment, offset);
  }

  /** Sets {@code status}. */
  public static void status(MemorySegment segment, long offset, int value) {
    STATUS.set(segment, offset, value);
  }

  /** {@code done_seq}, with acquire order: Host: seq of the finished call. */
  public static int doneSeq(MemorySegment segment, long offset) {
    return (int) DONE_SEQ.getAcquire(segment, offset);
  }

  /** Sets {@code done_seq}, with release order. */
  public static void doneSeq(MemorySegment segment, long offset, int value) {
    DONE_SEQ.setRelease(segment, offset, value);
  }
}
