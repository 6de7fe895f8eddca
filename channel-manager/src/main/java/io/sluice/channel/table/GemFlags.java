package io.sluice.channel.table;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvLimits;

/** The meaning of pscnv's GEM flags and storage kinds: the terms in which guests ask for memory. */
public final class GemFlags {
  /** Buffers are smaller than this. */
  public static final long MAX_BYTES = PscnvLimits.VSPACE_BYTES;

  private GemFlags() {}

  public static boolean areKnown(int flags) {
    return (flags & ~PscnvGem.ALL) == 0;
  }

  public static boolean isSystem(int flags) {
    int type = flags & PscnvGem.MEMTYPE_MASK;
    return type == PscnvGem.SYSRAM_SNOOP || type == PscnvGem.SYSRAM_NOSNOOP;
  }

  /** A size rounded up as the memory type needs it. */
  public static long roundUp(int flags, long bytes) {
    long granularity =
        (flags & PscnvGem.MEMTYPE_MASK) == PscnvGem.VRAM_LARGE
            ? PscnvGem.LARGE_PAGE_BYTES
            : PscnvGem.SMALL_PAGE_BYTES;
    return (bytes + granularity - 1) / granularity * granularity;
  }

  /** Whether pscnv takes the storage kind for the memory type. */
  public static boolean allowsTileFlags(int flags, int tileFlags) {
    if (isSystem(flags)) {
      return tileFlags == 0 || tileFlags == 0xdb || tileFlags == 0xfe;
    }
    return Integer.compareUnsigned(tileFlags, PscnvLimits.MAX_VRAM_TILE_FLAGS) <= 0;
  }
}
