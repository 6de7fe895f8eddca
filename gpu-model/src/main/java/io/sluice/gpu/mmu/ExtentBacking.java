package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Guest memory in extents, in the order of the buffer. Neighbours that continue each other in the
 * same region are kept as one, so that the table grows with the scatter and not with the size.
 */
public final class ExtentBacking implements Backing {
  private static final int INITIAL_EXTENTS = 8;

  private final long sizeBytes;
  private long filledBytes;
  private int count;
  private int last;
  private long[] starts = new long[INITIAL_EXTENTS];
  private long[] lengths = new long[INITIAL_EXTENTS];
  private long[] offsets = new long[INITIAL_EXTENTS];
  private MemoryRegion[] regions = new MemoryRegion[INITIAL_EXTENTS];

  /**
   * @param sizeBytes length of the buffer
   */
  public ExtentBacking(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** Number of extents in the table. */
  public int extents() {
    return count;
  }

  /** Whether any page of a range of the buffer has been set already. */
  public boolean overlaps(long start, long bytes) {
    int index = firstEndingAfter(start);
    return index < count && starts[index] < start + bytes;
  }

  /**
   * Gives consecutive pages of the buffer memory. The caller has checked alignment, ranges and
   * {@link #overlaps}. The table is moved once for all of them, so that the order in which a guest
   * fills a buffer costs little.
   *
   * @param start offset in the buffer of the first extent
   * @param extents what follows there
   */
  public void set(long start, List<Extent> extents) {
    int index = firstEndingAfter(start);
    makeRoom(index, extents.size());
    int end = index;
    long next = start;
    for (Extent extent : extents) {
      if (end > 0 && continues(end - 1, next, extent)) {
        lengths[end - 1] += extent.bytes();
      } else {
        starts[end] = next;
        lengths[end] = extent.bytes();
        offsets[end] = extent.offset();
        regions[end] = extent.region();
        end++;
      }
      next += extent.bytes();
    }
    closeGap(end, index + extents.size());
    filledBytes += next - start;
  }

  /** Offset in the region of the first page that belongs to it, or -1. */
  public long firstOffsetIn(MemoryRegion region) {
    for (int i = 0; i < count; i++) {
      if (regions[i] == region) {
        return offsets[i];
      }
    }
    return -1;
  }

  @Override
  public boolean locate(long offset, Run run) {
    int index = last;
    if (index >= count || offset < starts[index] || offset - starts[index] >= lengths[index]) {
      index = firstEndingAfter(offset);
      if (index == count || starts[index] > offset) {
        return false;
      }
      last = index;
    }
    MemoryRegion region = regions[index];
    MemorySegment segment = region.segment();
    if (segment == null) {
      return false;
    }
    long inside = offset - starts[index];
    run.set(segment, offsets[index] + inside, lengths[index] - inside, region.writable());
    return true;
  }

  @Override
  public boolean isComplete() {
    return filledBytes == sizeBytes;
  }

  private boolean continues(int index, long start, Extent extent) {
    return regions[index] == extent.region()
        && starts[index] + lengths[index] == start
        && offsets[index] + lengths[index] == extent.offset();
  }

  private void makeRoom(int index, int more) {
    if (count + more > starts.length) {
      int capacity = Math.max(count + more, count * 2);
      starts = Arrays.copyOf(starts, capacity);
      lengths = Arrays.copyOf(lengths, capacity);
      offsets = Arrays.copyOf(offsets, capacity);
      regions = Arrays.copyOf(regions, capacity);
    }
    move(index, index + more);
  }

  /** Takes out what neighbours that became one have left over. */
  private void closeGap(int end, int tail) {
    if (end < tail) {
      move(tail, end);
    }
  }

  /** Moves the tail of the table from one index to another. */
  private void move(int from, int to) {
    int tail = count - from;
    System.arraycopy(starts, from, starts, to, tail);
    System.arraycopy(lengths, from, lengths, to, tail);
    System.arraycopy(offsets, from, offsets, to, tail);
    System.arraycopy(regions, from, regions, to, tail);
    count += to - from;
  }

  /** Index of the first extent that ends after an offset, or {@link #count}. */
  private int firstEndingAfter(long offset) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] + lengths[middle] > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
