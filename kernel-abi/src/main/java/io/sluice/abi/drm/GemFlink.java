package io.sluice.abi.drm;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_gem_flink}: argument of DRM_IOCTL_GEM_FLINK.
 *
 * <p>8 bytes. Source: drm/drm.h.
 */
public final class GemFlink {
  private static final Struct S = Struct.aligned("drm_gem_flink");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final StructLayout LAYOUT = S.unused32("name", "out: global name").layout();
  public static final long SIZE = LAYOUT.byteSize();

  private GemFlink() {}
}
