package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_vspace_map}: argument of VSPACE_MAP.
 *
 * <p>40 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVspaceMap {
  private static final Struct S = Struct.aligned("drm_pscnv_vspace_map");
  public static final U32 VID = S.u32("vid", "in: address space");
  public static final U32 HANDLE = S.u32("handle", "in: buffer, mapped whole");
  public static final U64 START = S.u64("start", "in: lowest address allowed");
  public static final U64 END = S.u64("end", "in: first address not allowed");
  public static final U32 BACK = S.u32("back", "in: not 0: highest fit instead of lowest");
  public static final U32 FLAGS = S.u32("flags", "in: none defined");
  public static final U64 OFFSET = S.u64("offset", "out: the address");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvVspaceMap() {}
}
