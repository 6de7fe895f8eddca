package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS46_PARAMETERS}: argument of RM_MAP_MEMORY_DMA, in the form it has since 580.
 *
 * <p>64 bytes. Source: nvos.h.
 */
public final class Nvos46MapMemoryDma {
  /** {@link #FLAGS}: accesses snoop the CPU's caches. */
  public static final int FLAGS_CACHE_SNOOP = 1 << 4;

  /** {@link #FLAGS}: with 4 KiB pages, whatever the memory's are. */
  public static final int FLAGS_PAGE_SIZE_4KB = 1 << 8;

  /** {@link #FLAGS}: {@link #DMA_OFFSET} is the address, nothing else will do. */
  public static final int FLAGS_DMA_OFFSET_FIXED = 1 << 15;

  private static final Struct S = Struct.aligned("NVOS46_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device");
  public static final U32 H_DMA = S.u32("hDma", "in: virtual memory of the address space");
  public static final U32 H_MEMORY = S.u32("hMemory", "in: memory");
  public static final U64 LENGTH =
      S.unused64("offset", "in: first byte of the memory").u64("length", "in: bytes");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U64 DMA_OFFSET =
      S.unused32("flags2", "in")
          .unused32("kindOverride", "in")
          .u64("dmaOffset", "in: address wanted; out: address");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos46MapMemoryDma() {}
}
