package io.sluice.abi.pscnv;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_region_add}: argument of REGION_ADD: guest memory the GPU may be pointed
 * at.
 *
 * <p>32 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtRegionAdd {
  /** The GPU may write to the region. */
  public static final int WRITABLE = 1;

  /**
   * Alone: the file becomes the control pages of this open, with what is in it. Only before
   * anything was made; no region comes of it.
   */
  public static final int ADOPT_CONTROL = 2;

  /** Alone: the file becomes the video memory of this open, with what is in it. */
  public static final int ADOPT_VRAM = 4;

  /** Highest number of a region. */
  public static final int MAX_REGION = 4095;

  private static final Struct S = Struct.aligned("sluice_ext_region_add");
  public static final S32 FD = S.s32("fd", "in: the file; stays the caller's");
  public static final U32 FLAGS = S.u32("flags", "in: WRITABLE or 0; ADOPT_* alone");
  public static final U64 OFFSET = S.u64("offset", "in: bytes into the file, a multiple of 4096");
  public static final U64 SIZE_FIELD = S.u64("size", "in: bytes, a multiple of 4096");
  public static final U32 REGION = S.u32("region", "out: 1 to MAX_REGION");
  public static final StructLayout LAYOUT = S.layout();

  private ExtRegionAdd() {}
}
