package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_fifo_init}: argument of FIFO_INIT (DMA mode), which a GTX 480 answers
 * with ENODEV.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  pb_handle           in: DMA object of the pushbuffer
 *  0x08      4  flags               in
 *  0x0c      4  slimask             in
 *  0x10      8  pb_start            in: address of the pushbuffer
 * </pre>
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvFifoInit {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("pb_handle"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("slimask"),
              Layouts.U64.withName("pb_start"))
          .withName("drm_pscnv_fifo_init");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle PB_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("pb_handle"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle SLIMASK = LAYOUT.varHandle(PathElement.groupElement("slimask"));
  private static final VarHandle PB_START = LAYOUT.varHandle(PathElement.groupElement("pb_start"));

  private PscnvFifoInit() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code pb_handle}, in: DMA object of the pushbuffer. */
  public static int pbHandle(MemorySegment segment) {
    return (int) PB_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #pbHandle}. */
  public static void pbHandle(MemorySegment segment, int value) {
    PB_HANDLE.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code slimask}, in. */
  public static int slimask(MemorySegment segment) {
    return (int) SLIMASK.get(segment, 0L);
  }

  /** Sets {@link #slimask}. */
  public static void slimask(MemorySegment segment, int value) {
    SLIMASK.set(segment, 0L, value);
  }

  /** {@code pb_start}, in: address of the pushbuffer. */
  public static long pbStart(MemorySegment segment) {
    return (long) PB_START.get(segment, 0L);
  }

  /** Sets {@link #pbStart}. */
  public static void pbStart(MemorySegment segment, long value) {
    PB_START.set(segment, 0L, value);
  }
}
