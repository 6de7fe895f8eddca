package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_HOPPER_USERMODE_A_PARAMS}: block of HOPPER_USERMODE_A; may be left out.
 *
 * <p>2 bytes. Source: clc661.h.
 */
public final class UsermodeAlloc {
  private static final Struct S = Struct.aligned("NV_HOPPER_USERMODE_A_PARAMS");
  public static final U8 BAR1_MAPPING = S.u8("bBar1Mapping", "in: 1 lets the GPU itself map it");
  public static final U8 PRIVILEGED = S.u8("bPriv", "in: 0");
  public static final StructLayout LAYOUT = S.layout();

  private UsermodeAlloc() {}
}
