package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vm_map}: argument of VM_MAP and VM_UNMAP (pscnv as bundled with Gdev).
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmMap {
  private static final Struct S = Struct.aligned("drm_pscnv_vm_map");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U64 MAP_HANDLE = S.u64("map_handle", "out of VM_MAP");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVmMap() {}
}
