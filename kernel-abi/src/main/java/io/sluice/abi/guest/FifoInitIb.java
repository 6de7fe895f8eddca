package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of FIFO_INIT_IB. {@code struct sluice_fifo_init_ib}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      cid              in
 *   0x04  u32      flags            in: must be 0
 *   0x08  u32      slimask          in: 1
 *   0x0c  u32      ib_order         in: ring of 1 << ib_order entries
 *   0x10  u64      ib_start         in: GPU address of the ring, mapped already
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class FifoInitIb {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("cid"),
              ValueLayout.JAVA_INT.withName("flags"),
              ValueLayout.JAVA_INT.withName("slimask"),
              ValueLayout.JAVA_INT.withName("ib_order"),
              ValueLayout.JAVA_LONG.withName("ib_start"))
          .withName("sluice_fifo_init_ib");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(groupElement("cid"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(groupElement("flags"));
  private static final VarHandle SLIMASK = LAYOUT.varHandle(groupElement("slimask"));
  private static final VarHandle IB_ORDER = LAYOUT.varHandle(groupElement("ib_order"));
  private static final VarHandle IB_START = LAYOUT.varHandle(groupElement("ib_start"));

  private FifoInitIb() {}

  /** {@code cid}: In. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@code cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }

  /** {@code flags}: In: must be 0. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@code flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }

  /** {@code slimask}: In: 1. */
  public static int slimask(MemorySegment segment, long offset) {
    return (int) SLIMASK.get(segment, offset);
  }

  /** Sets {@code slimask}. */
  public static void slimask(MemorySegment segment, long offset, int value) {
    SLIMASK.set(segment, offset, value);
  }

  /** {@code ib_order}: In: ring of 1 << ib_order entries. */
  public static int ibOrder(MemorySegment segment, long offset) {
    return (int) IB_ORDER.get(segment, offset);
  }

  /** Sets {@code ib_order}. */
  public static void ibOrder(MemorySegment segment, long offset, int value) {
    IB_ORDER.set(segment, offset, value);
  }

  /** {@code ib_start}: In: GPU address of the ring, mapped already. */
  public static long ibStart(MemorySegment segment, long offset) {
    return (long) IB_START.get(segment, offset);
  }

  /** Sets {@code ib_start}. */
  public static void ibStart(MemorySegment segment, long offset, long value) {
    IB_START.set(segment, offset, value);
  }
}
