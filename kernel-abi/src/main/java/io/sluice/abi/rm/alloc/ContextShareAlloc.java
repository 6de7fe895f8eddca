package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_CTXSHARE_ALLOCATION_PARAMETERS}: block of FERMI_CONTEXT_SHARE_A.
 *
 * <p>12 bytes. Source: nvos.h.
 */
public final class ContextShareAlloc {
  /** {@link #FLAGS}: subcontext 0, the only one of a copy engine. */
  public static final int FLAGS_SYNC = 0;

  /** {@link #FLAGS}: a subcontext beside it; graphics only. */
  public static final int FLAGS_ASYNC = 1;

  private static final Struct S = Struct.aligned("NV_CTXSHARE_ALLOCATION_PARAMETERS");
  public static final U32 H_VA_SPACE = S.u32("hVASpace", "in: address space");
  public static final U32 FLAGS = S.u32("flags", "in: SYNC for copy engines, ASYNC for graphics");
  public static final StructLayout LAYOUT = S.unused32("subctxId", "out").layout();

  private ContextShareAlloc() {}
}
