package io.sluice.gpu.mmu;

import java.util.Arrays;

/**
 * The regions that a buffer's pages lie in, each once, with its lowest page of them. Sorted by
 * number, one for each: a region that was revoked makes room for the next of its number, so that
 * the table is no longer than there are numbers, whatever the guest registers and takes away.
 */
final class RegionShare {
  private static final int INITIAL = 1;

  private MemoryRegion[] regions = new MemoryRegion[INITIAL];
  private long[] lowest = new long[INITIAL];
  private int count;

  /** A page range of a region belongs to the buffer now. */
  void add(MemoryRegion region, long offset) {
    int index = indexOf(region.id());
    if (index == count || regions[index].id() != region.id()) {
      insert(index, region, offset);
    } else if (regions[index] == region) {
      lowest[index] = Math.min(lowest[index], offset);
    } else {
      // One that was revoked had the number before.
      regions[index] = region;
      lowest[index] = offset;
    }
  }

  private void insert(int index, MemoryRegion region, long offset) {
    if (count == regions.length) {
      regions = Arrays.copyOf(regions, count * 2);
      lowest = Arrays.copyOf(lowest, count * 2);
    }
    System.arraycopy(regions, index, regions, index + 1, count - index);
    System.arraycopy(lowest, index, lowest, index + 1, count - index);
    regions[index] = region;
    lowest[index] = offset;
    count++;
  }

  private int indexOf(int id) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (regions[middle].id() < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  MemoryRegion region(int index) {
    return regions[index];
  }

  /** Offset in the region of its lowest page that the buffer has. */
  long lowest(int index) {
    return lowest[index];
  }
}
