package io.sluice.gpu.sm.memory;

import io.sluice.gpu.sm.fault.MemoryFault;

/**
 * The translator of GPU addresses to the host memory behind them: the MMU of a channel, as one
 * worker of a grid sees it.
 *
 * <p>What it finds stays valid until the worker is paused; whoever takes memory away from an
 * address space pauses the workers that run in it first, and they ask again afterwards.
 */
public interface Translator {
  /**
   * Finds the memory at an address.
   *
   * @param address a GPU address; any value
   * @param write whether it is going to be written; the window is then no larger than one page, and
   *     that page is marked as written
   * @param window receives the memory around the address, in whole pages
   * @throws MemoryFault when the address space does not allow the access
   */
  void translate(long address, boolean write, Window window);
}
