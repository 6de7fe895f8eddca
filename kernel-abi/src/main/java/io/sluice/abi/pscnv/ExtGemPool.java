package io.sluice.abi.pscnv;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sluice_ext_gem_pool}: argument of GEM_POOL.
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemPool {
  /** Video memory. */
  public static final int VIDEO = 1;

  /** System memory. */
  public static final int SYSTEM = 2;

  private static final Struct S = Struct.aligned("sluice_ext_gem_pool");
  public static final U32 HANDLE = S.u32("handle", "in: buffer");
  public static final U32 POOL = S.u32("pool", "in: VIDEO or SYSTEM");
  public static final StructLayout LAYOUT = S.layout();

  private ExtGemPool() {}
}
