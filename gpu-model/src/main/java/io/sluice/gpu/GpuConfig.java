package io.sluice.gpu;

import io.sluice.abi.pscnv.PscnvGem;

/**
 * The measures of the software GPU.
 *
 * @param vramBytes video memory of the card, a multiple of 128 KiB
 * @param systemBytes most host memory that one open may allocate, a multiple of 4 KiB
 * @param spinNs how long after its last activity a channel is watched without a pause
 * @param gridHeapBytes most of the host's heap that the grids of one open take
 */
public record GpuConfig(long vramBytes, long systemBytes, long spinNs, long gridHeapBytes) {
  /** Video memory of a GTX 480. */
  public static final long GTX480_VRAM_BYTES = 1536L << 20;

  /** Heap of the grids of one open, unless somebody says otherwise. */
  public static final long GRID_HEAP_BYTES = 64L << 20;

  private static final long DEFAULT_SYSTEM_BYTES = 4L << 30;
  private static final long DEFAULT_SPIN_NS = 100_000;

  public GpuConfig {
    boolean valid =
        vramBytes > 0
            && vramBytes % (128 << 10) == 0
            && systemBytes >= 0
            && systemBytes % PscnvGem.SMALL_PAGE_BYTES == 0
            && spinNs >= 0
            && gridHeapBytes > 0;
    if (!valid) {
      throw new IllegalArgumentException(
          "not a GPU, vramBytes=" + vramBytes + ", systemBytes=" + systemBytes);
    }
  }

  /** With {@link #GRID_HEAP_BYTES}. */
  public GpuConfig(long vramBytes, long systemBytes, long spinNs) {
    this(vramBytes, systemBytes, spinNs, GRID_HEAP_BYTES);
  }

  /** A GTX 480 that spins for 100 us. */
  public static GpuConfig gtx480() {
    return new GpuConfig(GTX480_VRAM_BYTES, DEFAULT_SYSTEM_BYTES, DEFAULT_SPIN_NS);
  }
}
