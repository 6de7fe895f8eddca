package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The host's half of a control page, at CONTROL_OFFSET. {@code struct sluice_control},
 * sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      generation       never 0 in a page that counts; 0: read again
 *   0x04  u32      doorbell_token   what to write to the doorbell
 *   0x08  u32      state            SLUICE_CHANNEL_*
 *   0x0c  u32      error            SLUICE_ERROR_*, 0 while the channel lives
 *   0x10  u32      error_info
 *   0x14  u32      error_seq        counts errors; stored last (release)
 *   0x18  u64      error_address
 *   0x20  u64      error_time_ns    GPU time
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class ControlWords {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("generation"),
              ValueLayout.JAVA_INT.withName("doorbell_token"),
              ValueLayout.JAVA_INT.withName("state"),
              ValueLayout.JAVA_INT.withName("error"),
              ValueLayout.JAVA_INT.withName("error_info"),
              ValueLayout.JAVA_INT.withName("error_seq"),
              ValueLayout.JAVA_LONG.withName("error_address"),
              ValueLayout.JAVA_LONG.withName("error_time_ns"))
          .withName("sluice_control");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle GENERATION = LAYOUT.varHandle(groupElement("generation"));
  private static final VarHandle DOORBELL_TOKEN = LAYOUT.varHandle(groupElement("doorbell_token"));
  private static final VarHandle STATE = LAYOUT.varHandle(groupElement("state"));
  private static final VarHandle ERROR = LAYOUT.varHandle(groupElement("error"));
  private static final VarHandle ERROR_INFO = LAYOUT.varHandle(groupElement("error_info"));
  private static final VarHandle ERROR_SEQ = LAYOUT.varHandle(groupElement("error_seq"));
  private static final VarHandle ERROR_ADDRESS = LAYOUT.varHandle(groupElement("error_address"));
  private static final VarHandle ERROR_TIME_NS = LAYOUT.varHandle(groupElement("error_time_ns"));

  private ControlWords() {}

  /** {@code generation}, with acquire order: Never 0 in a page that counts; 0: read again. */
  public static int generation(MemorySegment segment, long offset) {
    return (int) GENERATION.getAcquire(segment, offset);
  }

  /** Sets {@code generation}, with release order. */
  public static void generation(MemorySegment segment, long offset, int value) {
    GENERATION.setRelease(segment, offset, value);
  }

  /** {@code doorbell_token}, with acquire order: What to write to the doorbell. */
  public static int doorbellToken(MemorySegment segment, long offset) {
    return (int) DOORBELL_TOKEN.getAcquire(segment, offset);
  }

  /** Sets {@code doorbell_token}, with release order. */
  public static void doorbellToken(MemorySegment segment, long offset, int value) {
    DOORBELL_TOKEN.setRelease(segment, offset, value);
  }

  /** {@code state}, with acquire order: SLUICE_CHANNEL_*. */
  public static int state(MemorySegment segment, long offset) {
    return (int) STATE.getAcquire(segment, offset);
  }

  /** Sets {@code state}, with release order. */
  public static void state(MemorySegment segment, long offset, int value) {
    STATE.setRelease(segment, offset, value);
  }

  /** {@code error}, with acquire order: SLUICE_ERROR_*, 0 while the channel lives. */
  public static int error(MemorySegment segment, long offset) {
    return (int) ERROR.getAcquire(segment, offset);
  }

  /** Sets {@code error}, with release order. */
  public static void error(MemorySegment segment, long offset, int value) {
    ERROR.setRelease(segment, offset, value);
  }

  /** {@code error_info}: Error info. */
  public static int errorInfo(MemorySegment segment, long offset) {
    return (int) ERROR_INFO.get(segment, offset);
  }

  /** Sets {@code error_info}. */
  public static void errorInfo(MemorySegment segment, long offset, int value) {
    ERROR_INFO.set(segment, offset, value);
  }

  /** {@code error_seq}, with acquire order: Counts errors; stored last (release). */
  public static int errorSeq(MemorySegment segment, long offset) {
    return (int) ERROR_SEQ.getAcquire(segment, offset);
  }

  /** Sets {@code error_seq}, with release order. */
  public static void errorSeq(MemorySegment segment, long offset, int value) {
    ERROR_SEQ.setRelease(segment, offset, value);
  }

  /** {@code error_address}: Error address. */
  public static long errorAddress(MemorySegment segment, long offset) {
    return (long) ERROR_ADDRESS.get(segment, offset);
  }

  /** Sets {@code error_address}. */
  public static void errorAddress(MemorySegment segment, long offset, long value) {
    ERROR_ADDRESS.set(segment, offset, value);
  }

  /** {@code error_time_ns}: GPU time. */
  public static long errorTimeNs(MemorySegment segment, long offset) {
    return (long) ERROR_TIME_NS.get(segment, offset);
  }

  /** Sets {@code error_time_ns}. */
  public static void errorTimeNs(MemorySegment segment, long offset, long value) {
    ERROR_TIME_NS.set(segment, offset, value);
  }
}
