package io.sluice.gpu.mmu;

import java.util.Arrays;

/**
 * The regions of guest memory that an address space reaches, counted by mappings: one look says
 * whether a region that is taken away was in use. Guarded by the GPU's lock and the open's gate.
 */
final class RegionUse {
  private int[] mappings = new int[0];
  private long[] lowest = new long[0];

  /** A buffer is mapped once more. */
  void add(RegionShare share) {
    for (int i = 0; i < share.count(); i++) {
      MemoryRegion region = share.region(i);
      if (region.isRevoked()) {
        continue;
      }
      int id = region.id();
      if (id >= mappings.length) {
        mappings = Arrays.copyOf(mappings, Math.max(id + 1, mappings.length * 2));
        lowest = Arrays.copyOf(lowest, mappings.length);
      }
      lowest[id] = mappings[id] == 0 ? share.lowest(i) : Math.min(lowest[id], share.lowest(i));
      mappings[id]++;
    }
  }

  /** A buffer is mapped once less. */
  void remove(RegionShare share) {
    for (int i = 0; i < share.count(); i++) {
      if (!share.region(i).isRevoked()) {
        mappings[share.region(i).id()]--;
      }
    }
  }

  /** Lowest offset in a region that was mapped since none of it was; -1 while none is. */
  long lowestOffset(MemoryRegion region) {
    int id = region.id();
    return id < mappings.length && mappings[id] > 0 ? lowest[id] : -1;
  }

  /** A region was revoked: its number may go to another one. */
  void forget(int id) {
    if (id < mappings.length) {
      mappings[id] = 0;
    }
  }
}
