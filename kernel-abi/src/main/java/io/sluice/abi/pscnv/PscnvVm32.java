package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_rw32}: argument of VM_READ32 and VM_WRITE32 (pscnv as bundled with
 * Gdev).
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVm32 {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_rw32");
  public static final StructLayout LAYOUT =
      S.unused32("vid", "in: address space")
          .unused32("handle", "in: buffer")
          .unused64("addr", "in: address")
          .unused32("val", "the word; out of VM_READ32")
          .layout();

  private PscnvVm32() {}
}
