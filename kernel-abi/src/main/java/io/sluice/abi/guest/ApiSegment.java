package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of API_SEGMENT. {@code struct sluice_api_segment}, sluice_abi.h. */
public final class ApiSegment {
  private static final Struct S = Struct.aligned("sluice_api_segment");
  public static final U32 HANDLE = S.u32("handle", "in");
  public static final U32 INDEX =
      S.u32(
          "index", "in: 1 .. SLUICE_MAX_API_SEGMENTS - 1; a segment stays as long as its session");
  public static final U32 COUNT = S.u32("count", "in: as in API_OPEN");
  public static final U64 BYTES = S.pad(4).u64("bytes", "in");
  public static final U64 LIST_IOVA = S.u64("list_iova", "in");
  public static final StructLayout LAYOUT = S.layout();

  private ApiSegment() {}
}
