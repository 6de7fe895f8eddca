package io.sluice.abi.drm;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_gem_open}: argument of DRM_IOCTL_GEM_OPEN.
 *
 * <p>16 bytes. Source: drm/drm.h.
 */
public final class GemOpen {
  private static final Struct S = Struct.aligned("drm_gem_open");
  public static final U32 NAME = S.u32("name", "in: global name");
  public static final StructLayout LAYOUT =
      S.unused32("handle", "out: buffer").unused64("size", "out: bytes").layout();
  public static final long SIZE = LAYOUT.byteSize();

  private GemOpen() {}
}
