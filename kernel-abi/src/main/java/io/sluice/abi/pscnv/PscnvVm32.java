package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_vm_rw32}: argument of VM_READ32 and VM_WRITE32 (pscnv as bundled with
 * Gdev).
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  handle              in: buffer
 *  0x08      8  addr                in: address
 *  0x10      4  val                 the word; out of VM_READ32
 *  0x14      4  pad_tail            alignment of C
 * </pre>
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVm32 {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("addr"),
              Layouts.U32.withName("val"),
              Layouts.U32.withName("pad_tail"))
          .withName("drm_pscnv_vm_rw32");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle VAL = LAYOUT.varHandle(PathElement.groupElement("val"));

  private PscnvVm32() {}

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

  /** {@code val}: the word; out of VM_READ32. */
  public static int value(MemorySegment segment) {
    return (int) VAL.get(segment, 0L);
  }

  /** Sets {@link #value}. */
  public static void value(MemorySegment segment, int value) {
    VAL.set(segment, 0L, value);
  }
}
