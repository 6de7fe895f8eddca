package io.sluice.gpu.launch;

import io.sluice.gpu.sm.warp.HeapBudget;

/**
 * The part of the process' heap that grids may take: half of it. Some is kept for each open that
 * there can be, so that guests which take all the rest together keep nobody from launching.
 */
final class GridHeap {
  /** Most that is kept for an open: a worker with the largest block, and its call stacks. */
  private static final long MOST_OWN_BYTES = 2L << 20;

  /** As many guests as a daemon has. */
  private static final int OPENS = 128;

  private final long openBytes;
  private final long ownBytes;
  private final HeapBudget common;

  /**
   * @param bytes of all opens
   * @param openBytes most that the grids of one open take
   */
  GridHeap(long bytes, long openBytes) {
    this.openBytes = openBytes;
    ownBytes = Math.min(Math.min(MOST_OWN_BYTES, openBytes), bytes / 2 / OPENS);
    common = new HeapBudget(bytes - OPENS * ownBytes);
  }

  static GridHeap ofThisProcess(long openBytes) {
    return new GridHeap(Runtime.getRuntime().maxMemory() / 2, openBytes);
  }

  /** The budget of one more open. */
  HeapBudget open() {
    return new HeapBudget(openBytes, ownBytes, common);
  }

  /** Bytes that are kept for each open. */
  long ownBytes() {
    return ownBytes;
  }
}
