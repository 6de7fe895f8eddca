package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Results of QUOTA_QUERY. {@code struct sluice_quota_query}, sluice_abi.h. */
public final class QuotaQuery {
  private static final Struct S = Struct.aligned("sluice_quota_query");
  public static final U64 VRAM_USED = S.u64("vram_used", "out: bytes");
  public static final U64 VRAM_LIMIT = S.u64("vram_limit", "out: bytes this guest may use now");
  public static final U64 VRAM_TOTAL = S.u64("vram_total", "out: bytes of the GPU");
  public static final U64 SYSMEM_USED = S.u64("sysmem_used", "out: bytes registered");
  public static final StructLayout LAYOUT = S.layout();

  private QuotaQuery() {}
}
