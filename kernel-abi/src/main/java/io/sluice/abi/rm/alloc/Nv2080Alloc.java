package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_ALLOC_PARAMETERS}: block of NV20_SUBDEVICE_0.
 *
 * <p>4 bytes. Source: cl2080.h.
 */
public final class Nv2080Alloc {
  private static final Struct S = Struct.aligned("NV2080_ALLOC_PARAMETERS");
  public static final U32 SUB_DEVICE_ID = S.u32("subDeviceId", "in: subdevice instance");
  public static final StructLayout LAYOUT = S.layout();

  private Nv2080Alloc() {}
}
