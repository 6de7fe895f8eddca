package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_phys_getaddr}: argument of PHYS_GETADDR (pscnv as bundled with Gdev).
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvPhysGetaddr {
  private static final Struct S = Struct.aligned("drm_pscnv_phys_getaddr");
  public static final StructLayout LAYOUT =
      S.unused32("vid", "in: address space")
          .unused32("handle", "in: buffer")
          .unused64("addr", "in: address")
          .unused32("offset", "in: bytes into the buffer")
          .unused64("phys", "out: bus address")
          .layout();

  private PscnvPhysGetaddr() {}
}
