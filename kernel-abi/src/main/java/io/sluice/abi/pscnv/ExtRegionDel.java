package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_region_del}: argument of REGION_DEL. Access is gone when it returns.
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtRegionDel {
  private static final Struct S = Struct.aligned("sluice_ext_region_del");
  public static final U32 REGION = S.u32("region", "in");
  public static final U32 CHANNELS_ENDED =
      S.u32("channels_ended", "out: channels that used it and ended");
  public static final StructLayout LAYOUT = S.layout();

  private ExtRegionDel() {}
}
