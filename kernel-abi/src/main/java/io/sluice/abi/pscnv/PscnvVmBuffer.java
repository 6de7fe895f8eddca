package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_vm_rw}: argument of VM_READ and VM_WRITE (pscnv as bundled with Gdev).
 * Holds addresses of this process.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  handle              in: buffer
 *  0x08      8  addr                in: address
 *  0x10      4  size                in: bytes
 *  0x14      4  pad_ptr             alignment of C
 *  0x18      8  buf_rd              in: where VM_READ writes to
 *  0x20      8  buf_wr              in: where VM_WRITE reads from
 * </pre>
 *
 * <p>40 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmBuffer {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("addr"),
              Layouts.U32.withName("size"),
              Layouts.U32.withName("pad_ptr"),
              Layouts.U64.withName("buf_rd"),
              Layouts.U64.withName("buf_wr"))
          .withName("drm_pscnv_vm_rw");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));
  private static final VarHandle BUF_RD = LAYOUT.varHandle(PathElement.groupElement("buf_rd"));
  private static final VarHandle BUF_WR = LAYOUT.varHandle(PathElement.groupElement("buf_wr"));

  private PscnvVmBuffer() {}

  /** {@code vid}, in: address space. */
  public static int vid(MemorySegment segment) {
    return (int) VID.get(segment, 0L);
  }

  /** Sets {@link #vid}. */
  public static void vid(MemorySegment segment, int value) {
    VID.set(segment, 0L, value);
  }

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code addr}, in: address. */
  public static long addr(MemorySegment segment) {
    return (long) ADDR.get(segment, 0L);
  }

  /** Sets {@link #addr}. */
  public static void addr(MemorySegment segment, long value) {
    ADDR.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes. */
  public static long size(MemorySegment segment) {
    return Integer.toUnsignedLong((int) SIZE_FIELD.get(segment, 0L));
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, (int) value);
  }

  /** {@code buf_rd}, in: where VM_READ writes to. */
  public static long bufRd(MemorySegment segment) {
    return (long) BUF_RD.get(segment, 0L);
  }

  /** Sets {@link #bufRd}. */
  public static void bufRd(MemorySegment segment, long value) {
    BUF_RD.set(segment, 0L, value);
  }

  /** {@code buf_wr}, in: where VM_WRITE reads from. */
  public static long bufWr(MemorySegment segment) {
    return (long) BUF_WR.get(segment, 0L);
  }

  /** Sets {@link #bufWr}. */
  public static void bufWr(MemorySegment segment, long value) {
    BUF_WR.set(segment, 0L, value);
  }
}
