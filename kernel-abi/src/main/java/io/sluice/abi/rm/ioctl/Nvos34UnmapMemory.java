package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS34_PARAMETERS}: argument of RM_UNMAP_MEMORY.
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos34UnmapMemory {
  private static final Struct S = Struct.aligned("NVOS34_PARAMETERS");
  public static final StructLayout LAYOUT =
      S.unused32("hClient", "in: client")
          .unused32("hDevice", "in: device or subdevice")
          .unused32("hMemory", "in: object")
          .unused64("pLinearAddress", "in")
          .unused32("status", "out")
          .unused32("flags", "in")
          .layout();

  private Nvos34UnmapMemory() {}
}
