package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of API_OPEN. {@code struct sluice_api_open}, sluice_abi.h. */
public final class ApiOpen {
  private static final Struct S = Struct.aligned("sluice_api_open");
  public static final U32 API = S.u32("api", "in: SLUICE_API_*");
  public static final U32 COUNT =
      S.u32("count", "in: extents of segment 0, 1 .. SLUICE_MAX_EXTENTS");
  public static final U64 BYTES = S.u64("bytes", "in: of segment 0: the sum of its extents");
  public static final U64 LIST_IOVA =
      S.u64("list_iova", "in: bus address of struct sluice_extent[count], in one page");
  public static final U32 HANDLE =
      S.u32("handle", "out: of the session, 1 .. SLUICE_MAX_API_SESSIONS");
  public static final StructLayout LAYOUT = S.pad(4).layout();

  private ApiOpen() {}
}
