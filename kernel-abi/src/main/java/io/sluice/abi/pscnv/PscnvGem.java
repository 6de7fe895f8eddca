package io.sluice.abi.pscnv;

/** Flags of a buffer, {@link PscnvGemInfo#flags}. Source: pscnv_drm.h. */
public final class PscnvGem {
  /** Contiguous in video memory. */
  public static final int CONTIG = 1;

  /** Meant to be mapped by the CPU; a hint. */
  public static final int MAPPABLE = 2;

  /** The bits that hold the memory type. */
  public static final int MEMTYPE_MASK = 0xc;

  /** Memory type: video memory, 4 KiB pages. */
  public static final int VRAM_SMALL = 0x0;

  /** Memory type: system memory, snooped. */
  public static final int SYSRAM_SNOOP = 0x4;

  /** Memory type: video memory, 128 KiB pages. */
  public static final int VRAM_LARGE = 0x8;

  /** Memory type: system memory, not snooped. */
  public static final int SYSRAM_NOSNOOP = 0xc;

  /** All flags there are. */
  public static final int ALL = CONTIG | MAPPABLE | MEMTYPE_MASK;

  /** Granularity of {@link #VRAM_SMALL} and of system memory, in bytes. */
  public static final long SMALL_PAGE_BYTES = 0x1000;

  /** Granularity of {@link #VRAM_LARGE}, in bytes. */
  public static final long LARGE_PAGE_BYTES = 0x20000;

  private PscnvGem() {}

  /** Whether the memory type of these flags is system memory. */
  public static boolean isSystem(int flags) {
    return (flags & SYSRAM_SNOOP) != 0;
  }
}
