package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_phys_getaddr}: argument of PHYS_GETADDR (pscnv as bundled with Gdev).
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  handle              in: buffer
 *  0x08      8  addr                in: address
 *  0x10      4  offset              in: bytes into the buffer
 *  0x14      4  pad_phys            alignment of C
 *  0x18      8  phys                out: bus address
 * </pre>
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvPhysGetaddr {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("addr"),
              Layouts.U32.withName("offset"),
              Layouts.U32.withName("pad_phys"),
              Layouts.U64.withName("phys"))
          .withName("drm_pscnv_phys_getaddr");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));
  private static final VarHandle PHYS = LAYOUT.varHandle(PathElement.groupElement("phys"));

  private PscnvPhysGetaddr() {}

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

  /** {@code offset}, in: bytes into the buffer. */
  public static long offset(MemorySegment segment) {
    return Integer.toUnsignedLong((int) OFFSET.get(segment, 0L));
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, (int) value);
  }

  /** {@code phys}, out: bus address. */
  public static long phys(MemorySegment segment) {
    return (long) PHYS.get(segment, 0L);
  }

  /** Sets {@link #phys}. */
  public static void phys(MemorySegment segment, long value) {
    PHYS.set(segment, 0L, value);
  }
}
