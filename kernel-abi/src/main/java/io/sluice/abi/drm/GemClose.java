package io.sluice.abi.drm;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_gem_close}: argument of DRM_IOCTL_GEM_CLOSE.
 *
 * <p>8 bytes. Source: drm/drm.h.
 */
public final class GemClose {
  private static final Struct S = Struct.aligned("drm_gem_close");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final StructLayout LAYOUT = S.pad(4).layout();
  public static final long SIZE = LAYOUT.byteSize();

  private GemClose() {}
}
