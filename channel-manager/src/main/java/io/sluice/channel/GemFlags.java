package io.sluice.channel;

/** pscnv's GEM flags (its user ABI, GEM_NEW). */
final class GemFlags {
  static final int CONTIG = 1;
  static final int MAPPABLE = 2;
  static final int MEMORY_TYPE_MASK = 0xc;
  static final int VRAM_SMALL = 0x0;
  static final int SYSTEM_SNOOP = 0x4;
  static final int VRAM_LARGE = 0x8;
  static final int SYSTEM_NO_SNOOP = 0xc;

  /** Everything a caller may set. */
  static final int KNOWN = CONTIG | MAPPABLE | MEMORY_TYPE_MASK;

  /** Buffers are smaller than this. */
  static final long MAX_BYTES = 1L << 40;

  private static final int VRAM_TILE_FLAGS_MAX = 0xff;

  private GemFlags() {}

  static boolean isSystem(int flags) {
    int type = flags & MEMORY_TYPE_MASK;
    return type == SYSTEM_SNOOP || type == SYSTEM_NO_SNOOP;
  }

  /** Bytes a buffer of these flags is rounded up to a multiple of. */
  static long granularity(int flags) {
    return (flags & MEMORY_TYPE_MASK) == VRAM_LARGE ? 128 * 1024 : Limits.PAGE_BYTES;
  }

  /** Whether pscnv takes the storage kind for this memory type. */
  static boolean allowsTileFlags(int flags, int tileFlags) {
    if (isSystem(flags)) {
      return tileFlags == 0 || tileFlags == 0xdb || tileFlags == 0xfe;
    }
    return Integer.compareUnsigned(tileFlags, VRAM_TILE_FLAGS_MAX) <= 0;
  }
}
