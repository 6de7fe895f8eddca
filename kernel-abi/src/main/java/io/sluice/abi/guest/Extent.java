package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * One range of guest memory in the list of MEM_PAGES. {@code struct sluice_extent}, sluice_abi.h.
 */
public final class Extent {
  private static final Struct S = Struct.aligned("sluice_extent");
  public static final U64 IOVA = S.u64("iova", "bus address of guest memory, a multiple of 4096");
  public static final U64 BYTES = S.u64("bytes", "a multiple of 4096");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private Extent() {}
}
