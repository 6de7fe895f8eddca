package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_HOPPER_USERMODE_A_PARAMS}: block of HOPPER_USERMODE_A; may be left out.
 *
 * <p>2 bytes. Source: clc661.h.
 */
public final class UsermodeAlloc {
  private static final Struct S = Struct.aligned("NV_HOPPER_USERMODE_A_PARAMS");
  public static final StructLayout LAYOUT =
      S.unused8("bBar1Mapping", "in: 1 lets the GPU itself map it")
          .unused8("bPriv", "in: 0")
          .layout();

  private UsermodeAlloc() {}
}
