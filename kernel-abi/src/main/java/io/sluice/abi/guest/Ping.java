package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of PING. {@code struct sluice_ping}, sluice_abi.h. */
public final class Ping {
  private static final Struct S = Struct.aligned("sluice_ping");
  public static final U64 VALUE = S.u64("value", "in: anything");
  public static final U64 ECHO = S.u64("echo", "out: the same");
  public static final StructLayout LAYOUT = S.layout();

  private Ping() {}
}
