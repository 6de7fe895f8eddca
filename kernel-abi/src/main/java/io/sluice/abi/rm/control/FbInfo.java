package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_FB_GET_INFO_V2_PARAMS}: block of FB_GET_INFO_V2: pairs of index and value.
 *
 * <p>1028 bytes. Source: ctrl2080fb.h.
 */
public final class FbInfo {
  /** Index: KiB of it that can be allocated. */
  public static final int HEAP_SIZE = 9;

  /** Index: KiB of that which are free. */
  public static final int HEAP_FREE = 0x16;

  private static final Struct S = Struct.aligned("NV2080_CTRL_FB_GET_INFO_V2_PARAMS");
  public static final U32 COUNT = S.u32("fbInfoListSize", "in: pairs");
  public static final Elements<U32> LIST =
      S.u32s("fbInfoList", 256, "in: index; out: value behind it");
  public static final StructLayout LAYOUT = S.layout();

  private FbInfo() {}
}
