package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS47_PARAMETERS}: argument of RM_UNMAP_MEMORY_DMA.
 *
 * <p>48 bytes. Source: nvos.h.
 */
public final class Nvos47UnmapMemoryDma {
  private static final Struct S = Struct.aligned("NVOS47_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device");
  public static final U32 H_DMA = S.u32("hDma", "in: virtual memory of the address space");
  public static final U32 H_MEMORY = S.u32("hMemory", "in: memory");
  public static final U64 DMA_OFFSET = S.unused32("flags", "in").u64("dmaOffset", "in: address");
  public static final U64 SIZE_BYTES = S.u64("size", "in: bytes");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos47UnmapMemoryDma() {}
}
