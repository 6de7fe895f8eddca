package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct drm_pscnv_getparam}: argument of GETPARAM.
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvGetparam {
  private static final Struct S = Struct.aligned("drm_pscnv_getparam");
  public static final U64 PARAM =
      S.u64("param", "in: an id of PscnvParam; for TP_COUNT_IDX the GPC in the upper half");
  public static final U64 VALUE = S.u64("value", "out");
  public static final StructLayout LAYOUT = S.layout();

  private PscnvGetparam() {}
}
