package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_map}: argument of VM_MAP and VM_UNMAP (pscnv as bundled with Gdev).
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmMap {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_map");
  public static final StructLayout LAYOUT =
      S.unused32("vid", "in: address space")
          .unused32("handle", "in: buffer")
          .unused64("map_handle", "out of VM_MAP")
          .layout();

  private PscnvVmMap() {}
}
