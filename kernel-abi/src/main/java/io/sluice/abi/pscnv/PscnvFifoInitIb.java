package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_fifo_init_ib}: argument of FIFO_INIT_IB: gives a channel its GPFIFO.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  pb_handle           in: not used on Fermi, 0
 *  0x08      4  flags               in: 0
 *  0x0c      4  slimask             in: subdevice mask, 1
 *  0x10      8  ib_start            in: address of the ring, mapped already
 *  0x18      4  ib_order            in: 1 shifted left by it entries of 8 bytes; at most 29
 *  0x1c      4  _pad
 * </pre>
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvFifoInitIb {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("pb_handle"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("slimask"),
              Layouts.U64.withName("ib_start"),
              Layouts.U32.withName("ib_order"),
              Layouts.U32.withName("_pad"))
          .withName("drm_pscnv_fifo_init_ib");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle PB_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("pb_handle"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle SLIMASK = LAYOUT.varHandle(PathElement.groupElement("slimask"));
  private static final VarHandle IB_START = LAYOUT.varHandle(PathElement.groupElement("ib_start"));
  private static final VarHandle IB_ORDER = LAYOUT.varHandle(PathElement.groupElement("ib_order"));

  private PscnvFifoInitIb() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code pb_handle}, in: not used on Fermi, 0. */
  public static int pbHandle(MemorySegment segment) {
    return (int) PB_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #pbHandle}. */
  public static void pbHandle(MemorySegment segment, int value) {
    PB_HANDLE.set(segment, 0L, value);
  }

  /** {@code flags}, in: 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code slimask}, in: subdevice mask, 1. */
  public static int slimask(MemorySegment segment) {
    return (int) SLIMASK.get(segment, 0L);
  }

  /** Sets {@link #slimask}. */
  public static void slimask(MemorySegment segment, int value) {
    SLIMASK.set(segment, 0L, value);
  }

  /** {@code ib_start}, in: address of the ring, mapped already. */
  public static long ibStart(MemorySegment segment) {
    return (long) IB_START.get(segment, 0L);
  }

  /** Sets {@link #ibStart}. */
  public static void ibStart(MemorySegment segment, long value) {
    IB_START.set(segment, 0L, value);
  }

  /** {@code ib_order}, in: 1 shifted left by it entries of 8 bytes; at most 29. */
  public static int ibOrder(MemorySegment segment) {
    return (int) IB_ORDER.get(segment, 0L);
  }

  /** Sets {@link #ibOrder}. */
  public static void ibOrder(MemorySegment segment, int value) {
    IB_ORDER.set(segment, 0L, value);
  }
}
