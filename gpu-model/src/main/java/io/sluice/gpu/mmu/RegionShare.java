package io.sluice.gpu.mmu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

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

  /**
   * Page ranges of regions belong to the buffer now. The table is gone through once for all of
   * them, in whatever order their regions are.
   */
  void addAll(List<RegionRange> ranges) {
    List<RegionRange> added = lowestOfEach(ranges);
    int fresh = 0;
    for (RegionRange range : added) {
      fresh += has(range.region().id()) ? 0 : 1;
    }
    grow(count + fresh);
    int from = count - 1;
    count += fresh;
    int to = count - 1;
    for (RegionRange range : added.reversed()) {
      int id = range.region().id();
      while (from >= 0 && regions[from].id() > id) {
        regions[to] = regions[from];
        lowest[to--] = lowest[from--];
      }
      long offset = range.offset();
      if (from >= 0 && regions[from].id() == id) {
        // Another region is one that was revoked, and had the number before.
        offset = regions[from] == range.region() ? Math.min(offset, lowest[from]) : offset;
        from--;
      }
      regions[to] = range.region();
      lowest[to--] = offset;
    }
  }

  /** Sorted by number. */
  private static List<RegionRange> lowestOfEach(List<RegionRange> ranges) {
    List<RegionRange> sorted = new ArrayList<>(ranges);
    sorted.sort(
        Comparator.<RegionRange>comparingInt(range -> range.region().id())
            .thenComparingLong(RegionRange::offset));
    List<RegionRange> first = new ArrayList<>();
    for (RegionRange range : sorted) {
      if (first.isEmpty() || first.getLast().region() != range.region()) {
        first.add(range);
      }
    }
    return first;
  }

  private boolean has(int id) {
    int index = indexOf(id);
    return index < count && regions[index].id() == id;
  }

  private void grow(int least) {
    if (least > regions.length) {
      int size = Math.max(least, 2 * regions.length);
      regions = Arrays.copyOf(regions, size);
      lowest = Arrays.copyOf(lowest, size);
    }
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
