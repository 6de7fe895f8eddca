package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of VSPACE_MAP. {@code struct sluice_vspace_map}, sluice_abi.h. */
public final class VspaceMap {
  private static final Struct S = Struct.aligned("sluice_vspace_map");
  public static final U32 VID = S.u32("vid", "in");
  public static final U32 HANDLE = S.u32("handle", "in");
  public static final U32 BACK = S.u32("back", "in: highest address first when not 0");
  public static final U32 FLAGS = S.u32("flags", "in: must be 0");
  public static final U64 START = S.u64("start", "in: lowest address allowed");
  public static final U64 END = S.u64("end", "in: first address not allowed");
  public static final U64 OFFSET = S.u64("offset", "out: GPU address");
  public static final StructLayout LAYOUT = S.layout();

  private VspaceMap() {}
}
