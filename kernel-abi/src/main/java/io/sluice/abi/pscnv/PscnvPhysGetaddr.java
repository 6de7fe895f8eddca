package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_phys_getaddr}: argument of PHYS_GETADDR (pscnv as bundled with Gdev).
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvPhysGetaddr {
  private static final Struct S = Struct.aligned("drm_pscnv_phys_getaddr");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U64 ADDR = S.u64("addr", "in: address");
  public static final U32 OFFSET = S.u32("offset", "in: bytes into the buffer");
  public static final U64 PHYS = S.u64("phys", "out: bus address");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvPhysGetaddr() {}
}
