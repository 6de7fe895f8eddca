package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of CHAN_QUERY. {@code struct sluice_chan_query}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      cid              in
 *   0x04  u32      state            out: SLUICE_CHANNEL_*
 *   0x08  u32      reason           out: SLUICE_ERROR_*
 *   0x0c  u32      info             out: detail of the reason
 *   0x10  u64      address          out: address of a fault
 *   0x18  u64      entries          out: ring entries taken
 *   0x20  u64      busy_ns          out: GPU time used
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class ChanQuery {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("cid"),
              ValueLayout.JAVA_INT.withName("state"),
              ValueLayout.JAVA_INT.withName("reason"),
              ValueLayout.JAVA_INT.withName("info"),
              ValueLayout.JAVA_LONG.withName("address"),
              ValueLayout.JAVA_LONG.withName("entries"),
              ValueLayout.JAVA_LONG.withName("busy_ns"))
          .withName("sluice_chan_query");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(groupElement("cid"));
  private static final VarHandle STATE = LAYOUT.varHandle(groupElement("state"));
  private static final VarHandle REASON = LAYOUT.varHandle(groupElement("reason"));
  private static final VarHandle INFO = LAYOUT.varHandle(groupElement("info"));
  private static final VarHandle ADDRESS = LAYOUT.varHandle(groupElement("address"));
  private static final VarHandle ENTRIES = LAYOUT.varHandle(groupElement("entries"));
  private static final VarHandle BUSY_NS = LAYOUT.varHandle(groupElement("busy_ns"));

  private ChanQuery() {}

  /** {@code cid}: In. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@code cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }

  /** {@code state}: Out: SLUICE_CHANNEL_*. */
  public static int state(MemorySegment segment, long offset) {
    return (int) STATE.get(segment, offset);
  }

  /** Sets {@code state}. */
  public static void state(MemorySegment segment, long offset, int value) {
    STATE.set(segment, offset, value);
  }

  /** {@code reason}: Out: SLUICE_ERROR_*. */
  public static int reason(MemorySegment segment, long offset) {
    return (int) REASON.get(segment, offset);
  }

  /** Sets {@code reason}. */
  public static void reason(MemorySegment segment, long offset, int value) {
    REASON.set(segment, offset, value);
  }

  /** {@code info}: Out: detail of the reason. */
  public static int info(MemorySegment segment, long offset) {
    return (int) INFO.get(segment, offset);
  }

  /** Sets {@code info}. */
  public static void info(MemorySegment segment, long offset, int value) {
    INFO.set(segment, offset, value);
  }

  /** {@code address}: Out: address of a fault. */
  public static long address(MemorySegment segment, long offset) {
    return (long) ADDRESS.get(segment, offset);
  }

  /** Sets {@code address}. */
  public static void address(MemorySegment segment, long offset, long value) {
    ADDRESS.set(segment, offset, value);
  }

  /** {@code entries}: Out: ring entries taken. */
  public static long entries(MemorySegment segment, long offset) {
    return (long) ENTRIES.get(segment, offset);
  }

  /** Sets {@code entries}. */
  public static void entries(MemorySegment segment, long offset, long value) {
    ENTRIES.set(segment, offset, value);
  }

  /** {@code busy_ns}: Out: GPU time used. */
  public static long busyNs(MemorySegment segment, long offset) {
    return (long) BUSY_NS.get(segment, offset);
  }

  /** Sets {@code busy_ns}. */
  public static void busyNs(MemorySegment segment, long offset, long value) {
    BUSY_NS.set(segment, offset, value);
  }
}
