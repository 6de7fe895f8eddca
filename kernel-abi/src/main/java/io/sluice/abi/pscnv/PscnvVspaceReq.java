package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_vspace_req}: argument of VSPACE_NEW and VSPACE_FREE.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 address space; out of VSPACE_NEW
 * </pre>
 *
 * <p>4 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVspaceReq {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("vid")).withName("drm_pscnv_vspace_req");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));

  private PscnvVspaceReq() {}

  /** {@code vid}: address space; out of VSPACE_NEW. */
  public static int vid(MemorySegment segment) {
    return (int) VID.get(segment, 0L);
  }

  /** Sets {@link #vid}. */
  public static void vid(MemorySegment segment, int value) {
    VID.set(segment, 0L, value);
  }
}
