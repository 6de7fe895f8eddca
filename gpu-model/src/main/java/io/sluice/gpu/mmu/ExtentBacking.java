package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

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
   * Gives pages of the buffer memory of a region. The caller has checked alignment, both ranges and
   * {@link #overlaps}.
   *
   * @param start offset in the buffer
   * @param region where the memory is
   * @param offset offset in the region
   * @param bytes length
   */
  public void set(long start, MemoryRegion region, long offset, long bytes) {
    int index = firstEndingAfter(start);
    filledBytes += bytes;
    if (index > 0 && continues(index - 1, start, region, offset)) {
      lengths[index - 1] += bytes;
      return;
    }
    insert(index, start, region, offset, bytes);
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

  private boolean continues(int index, long start, MemoryRegion region, long offset) {
    return regions[index] == region
        && starts[index] + lengths[index] == start
        && offsets[index] + lengths[index] == offset;
  }

  private void insert(int index, long start, MemoryRegion region, long offset, long bytes) {
    if (count == starts.length) {
      int capacity = count * 2;
      starts = Arrays.copyOf(starts, capacity);
      lengths = Arrays.copyOf(lengths, capacity);
      offsets = Arrays.copyOf(offsets, capacity);
      regions = Arrays.copyOf(regions, capacity);
    }
    int tail = count - index;
    System.arraycopy(starts, index, starts, index + 1, tail);
    System.arraycopy(lengths, index, lengths, index + 1, tail);
    System.arraycopy(offsets, index, offsets, index + 1, tail);
    System.arraycopy(regions, index, regions, index + 1, tail);
    starts[index] = start;
    lengths[index] = bytes;
    offsets[index] = offset;
    regions[index] = region;
    count++;
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
