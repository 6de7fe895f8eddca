package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS54_PARAMETERS}: argument of RM_CONTROL.
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos54Control {
  private static final Struct S = Struct.aligned("NVOS54_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_OBJECT = S.u32("hObject", "in: object");
  public static final U32 CMD = S.u32("cmd", "in: command");
  public static final U32 FLAGS = S.u32("flags", "in: 0; others are for the kernel itself");
  public static final U64 PARAMS = S.u64("params", "in: address of the command's block, or 0");
  public static final U32 PARAMS_SIZE = S.u32("paramsSize", "in: bytes of it");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos54Control() {}
}
