package io.sluice.vdevice.dma;

import io.sluice.channel.MemoryBudget;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of pages of the bus, by their numbers, which have 52 bits. It holds so many blocks of them
 * and no more: a client whose maps wander through more addresses, or whose guest has no more heap
 * for its tables, has all pages in it from then on. For one thread at a time.
 */
final class LoggedPages {
  /** Pages in a block, which is of 4 KiB. */
  static final int BLOCK_PAGES = 1 << 15;

  /** Most blocks: those of 256 GiB, if none of it is left out; 8 MiB of the daemon's heap. */
  static final int MOST_BLOCKS = 1 << 11;

  /** What a block counts of this process' heap. */
  static final long BLOCK_BYTES = BLOCK_PAGES / Byte.SIZE + 256;

  private final MemoryBudget heap;

  /** By the number of the block; none is empty. */
  private final TreeMap<Long, BitSet> blocks = new TreeMap<>();

  private boolean all;

  /**
   * @param heap of this process for the guest's tables
   */
  LoggedPages(MemoryBudget heap) {
    this.heap = heap;
  }

  /** Whether every page is in it, as it had more than it can hold. */
  boolean isAll() {
    return all;
  }

  void add(long page) {
    if (all) {
      return;
    }
    BitSet block = blocks.get(page / BLOCK_PAGES);
    if (block == null) {
      if (blocks.size() == MOST_BLOCKS || !heap.take(BLOCK_BYTES)) {
        clear();
        all = true;
        return;
      }
      block = new BitSet(BLOCK_PAGES);
      blocks.put(page / BLOCK_PAGES, block);
    }
    block.set((int) (page % BLOCK_PAGES));
  }

  /** From one to another, both included. */
  void addAll(long first, long last) {
    for (long page = first; page <= last && !all; page++) {
      add(page);
    }
  }

  /** Takes one out; of all it takes none. */
  void remove(long page) {
    BitSet block = blocks.get(page / BLOCK_PAGES);
    if (block != null) {
      block.clear((int) (page % BLOCK_PAGES));
      if (block.isEmpty()) {
        blocks.remove(page / BLOCK_PAGES);
        heap.giveBack(BLOCK_BYTES);
      }
    }
  }

  /** The first from one to another, both included; -1 when there is none. */
  long next(long first, long last) {
    if (all) {
      return first <= last ? first : -1;
    }
    for (Map.Entry<Long, BitSet> entry :
        blocks.subMap(first / BLOCK_PAGES, true, last / BLOCK_PAGES, true).entrySet()) {
      long base = entry.getKey() * BLOCK_PAGES;
      int found = entry.getValue().nextSetBit((int) Math.max(0, first - base));
      if (found >= 0) {
        return base + found <= last ? base + found : -1;
      }
    }
    return -1;
  }

  /** Takes out all. */
  void clear() {
    heap.giveBack(blocks.size() * BLOCK_BYTES);
    blocks.clear();
    all = false;
  }
}
