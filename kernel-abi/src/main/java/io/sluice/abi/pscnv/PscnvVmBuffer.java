package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_rw}: argument of VM_READ and VM_WRITE (pscnv as bundled with Gdev).
 * Holds addresses of this process.
 *
 * <p>40 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmBuffer {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_rw");
  public static final StructLayout LAYOUT =
      S.unused32("vid", "in: address space")
          .unused32("handle", "in: buffer")
          .unused64("addr", "in: address")
          .unused32("size", "in: bytes")
          .unused64("buf_rd", "in: where VM_READ writes to")
          .unused64("buf_wr", "in: where VM_WRITE reads from")
          .layout();

  private PscnvVmBuffer() {}
}
