package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS57_PARAMETERS}: argument of RM_SHARE.
 *
 * <p>24 bytes. Source: nvos.h, rs_access.h.
 */
public final class Nvos57Share {
  private static final Struct S = Struct.aligned("NVOS57_PARAMETERS");
  public static final StructLayout LAYOUT =
      S.unused32("hClient", "in: client")
          .unused32("hObject", "in: object")
          .unused32("target", "in: whom, by the type; 0")
          .unused32("accessMask", "in: rights")
          .unused16("type", "in: kind of the target")
          .unused8("action", "in")
          .unused32("status", "out")
          .layout();

  private Nvos57Share() {}
}
