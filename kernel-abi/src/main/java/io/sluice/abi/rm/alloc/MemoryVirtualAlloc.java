package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS}: block of NV01_MEMORY_VIRTUAL, by which mappings name
 * an address space.
 *
 * <p>24 bytes. Source: nvos.h.
 */
public final class MemoryVirtualAlloc {
  private static final Struct S = Struct.aligned("NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS");
  public static final U32 H_VA_SPACE =
      S.unused64("offset", "in: 0; out: lowest address")
          .unused64("limit", "in: 0; out: highest address")
          .u32("hVASpace", "in: address space");
  public static final StructLayout LAYOUT = S.layout();

  private MemoryVirtualAlloc() {}
}
