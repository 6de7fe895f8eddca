package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS34_PARAMETERS}: argument of RM_UNMAP_MEMORY.
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos34UnmapMemory {
  private static final Struct S = Struct.aligned("NVOS34_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device or subdevice");
  public static final U32 H_MEMORY = S.u32("hMemory", "in: object");
  public static final U64 LINEAR_ADDRESS = S.u64("pLinearAddress", "in");
  public static final U32 STATUS = S.u32("status", "out");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos34UnmapMemory() {}
}
