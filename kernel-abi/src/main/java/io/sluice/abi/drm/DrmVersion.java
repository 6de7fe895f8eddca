package io.sluice.abi.drm;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_version}: argument of DRM_IOCTL_VERSION. Holds addresses of this process.
 *
 * <p>64 bytes. Source: drm/drm.h, x86-64.
 */
public final class DrmVersion {
  private static final Struct S = Struct.aligned("drm_version");
  public static final S32 VERSION_MAJOR = S.s32("version_major", "out");
  public static final S32 VERSION_MINOR = S.s32("version_minor", "out");
  public static final S32 VERSION_PATCHLEVEL = S.s32("version_patchlevel", "out");
  public static final U64 NAME_LEN = S.u64("name_len", "in: room; out: length");
  public static final U64 NAME = S.u64("name", "in: address");
  public static final U64 DATE_LEN = S.u64("date_len", "in: room; out: length");
  public static final U64 DESC_LEN =
      S.unused64("date", "in: address").u64("desc_len", "in: room; out: length");
  public static final U64 DESC = S.u64("desc", "in: address");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DrmVersion() {}
}
