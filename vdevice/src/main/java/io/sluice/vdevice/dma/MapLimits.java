package io.sluice.vdevice.dma;

import io.sluice.vdevice.protocol.Limits;

/**
 * Most memory that may be mapped at one time.
 *
 * @param bytes of address space, each byte counted once, although up to two mappings have it
 * @param maps DMA maps with a descriptor
 */
public record MapLimits(long bytes, int maps) {
  /** DMA maps that one guest can have at most. */
  public static final int MAX_MAPS = Limits.MAX_DMA_MAPS;

  /** Refuses what is no limit. */
  public MapLimits {
    if (bytes < 0 || maps < 0 || maps > MAX_MAPS) {
      throw new IllegalArgumentException("no limit, bytes=" + bytes + ", maps=" + maps);
    }
  }
}
