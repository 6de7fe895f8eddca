package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_rw32}: argument of VM_READ32 and VM_WRITE32 (pscnv as bundled with
 * Gdev).
 *
 * <p>24 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVm32 {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_rw32");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U64 ADDR = S.u64("addr", "in: address");
  public static final U32 VAL = S.u32("val", "the word; out of VM_READ32");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVm32() {}
}
