package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of GET_PARAM. {@code struct sluice_get_param}, sluice_abi.h. */
public final class GetParam {
  private static final Struct S = Struct.aligned("sluice_get_param");
  public static final U64 PARAM =
      S.u64("param", "in: pscnv parameter id, GPC index in the upper half");
  public static final U64 VALUE = S.u64("value", "out");
  public static final StructLayout LAYOUT = S.layout();

  private GetParam() {}
}
