package io.sluice.abi.rm.control;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_CE_GET_CAPS_V2_PARAMS}: block of CE_GET_CAPS_V2.
 *
 * <p>8 bytes. Source: ctrl2080ce.h.
 */
public final class CeCaps {
  /** Bit of byte 0: one that graphics channels use. */
  public static final int CAPS_GRCE = 1;

  private static final Struct S = Struct.aligned("NV2080_CTRL_CE_GET_CAPS_V2_PARAMS");
  public static final U32 ENGINE_TYPE = S.u32("ceEngineType", "in: RmEngine");
  public static final Elements<U8> CAPS = S.bytes("capsTbl", 2, "out: bits");
  public static final StructLayout LAYOUT = S.layout();

  private CeCaps() {}
}
