package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Guest memory in extents, in the order of the buffer. Neighbours that continue each other in the
 * same region are kept as one, so that the table grows with the scatter and not with the size.
 *
 * <p>The table is a list of chunks, so that an extent that is set moves a few hundred others at
 * most, in whatever order a guest fills a buffer.
 */
public final class ExtentBacking implements Backing {
  private static final int CHUNK_SHIFT = 16;
  private static final int INDEX_MASK = (1 << CHUNK_SHIFT) - 1;

  private final long sizeBytes;
  private final RegionShare regions = new RegionShare();
  private long filledBytes;
  private int extents;
  private ExtentBlock[] chunks = {new ExtentBlock()};
  private int chunkCount = 1;

  /** Chunk and index of the extent that was found last; whatever stands here is checked. */
  private int last;

  /**
   * @param sizeBytes length of the buffer
   */
  public ExtentBacking(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** Number of extents in the table. */
  public int extents() {
    return extents;
  }

  RegionShare regions() {
    return regions;
  }

  /** Whether any page of a range of the buffer has been set already. */
  public boolean overlaps(long start, long bytes) {
    int number = chunkFor(start);
    ExtentBlock chunk = chunks[number];
    int index = chunk.firstEndingAfter(start);
    if (index == chunk.count) {
      return number + 1 < chunkCount && chunks[number + 1].starts[0] < start + bytes;
    }
    return chunk.starts[index] < start + bytes;
  }

  /**
   * Gives consecutive pages of the buffer memory. The caller has checked alignment, ranges and
   * {@link #overlaps}.
   *
   * @param start offset in the buffer of the first extent
   * @param newExtents what follows there
   */
  public void set(long start, List<RegionRange> newExtents) {
    regions.addAll(newExtents);
    long next = start;
    for (RegionRange extent : newExtents) {
      set(next, extent);
      next += extent.bytes();
    }
    filledBytes += next - start;
  }

  private void set(long start, RegionRange extent) {
    int number = chunkFor(start);
    ExtentBlock chunk = chunks[number];
    int index = chunk.firstEndingAfter(start);
    if (index > 0 && chunk.continues(index - 1, start, extent)) {
      chunk.lengths[index - 1] += extent.bytes();
      return;
    }
    if (chunk.isFull()) {
      ExtentBlock upper = chunk.split(index);
      insertChunk(number + 1, upper);
      if (index > chunk.count || chunk.isFull()) {
        index -= chunk.count;
        chunk = upper;
      }
    }
    chunk.insert(index, start, extent);
    extents++;
  }

  private void insertChunk(int number, ExtentBlock chunk) {
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
    }
    System.arraycopy(chunks, number, chunks, number + 1, chunkCount - number);
    chunks[number] = chunk;
    chunkCount++;
  }

  @Override
  public boolean locate(long offset, Run run) {
    int at = last;
    int number = at >>> CHUNK_SHIFT;
    int index = at & INDEX_MASK;
    if (number >= chunkCount || !chunks[number].contains(index, offset)) {
      number = chunkFor(offset);
      index = chunks[number].firstEndingAfter(offset);
      if (!chunks[number].contains(index, offset)) {
        return false;
      }
      last = number << CHUNK_SHIFT | index;
    }
    return chunks[number].locate(index, offset, run);
  }

  @Override
  public boolean isComplete() {
    return filledBytes == sizeBytes;
  }

  /** The last chunk that begins at an offset or before it; the first one when none does. */
  private int chunkFor(long offset) {
    int low = 1;
    int high = chunkCount;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (chunks[middle].starts[0] <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** Neighbouring extents, in order; only a chunk that stands alone is ever empty. */
  private static final class ExtentBlock {
    static final int MAX = 512;
    private static final int INITIAL = 2;

    private int count;
    private long[] starts = new long[INITIAL];
    private long[] lengths = new long[INITIAL];
    private long[] offsets = new long[INITIAL];
    private MemoryRegion[] regions = new MemoryRegion[INITIAL];

    boolean isFull() {
      return count == MAX;
    }

    boolean contains(int index, long offset) {
      return index < count && offset >= starts[index] && offset - starts[index] < lengths[index];
    }

    boolean continues(int index, long start, RegionRange extent) {
      return regions[index] == extent.region()
          && starts[index] + lengths[index] == start
          && offsets[index] + lengths[index] == extent.offset();
    }

    boolean locate(int index, long offset, Run run) {
      MemoryRegion region = regions[index];
      MemorySegment segment = region.segment();
      if (segment == null) {
        return false;
      }
      long inside = offset - starts[index];
      run.set(segment, offsets[index] + inside, lengths[index] - inside, region.writable());
      return true;
    }

    void insert(int index, long start, RegionRange extent) {
      if (count == starts.length) {
        resize(Math.min(MAX, count * 2));
      }
      move(this, index, index + 1, count - index);
      starts[index] = start;
      lengths[index] = extent.bytes();
      offsets[index] = extent.offset();
      regions[index] = extent.region();
      count++;
    }

    /** Gives its upper part away: what is behind an insertion at its end, else half. */
    ExtentBlock split(int insertAt) {
      int kept = insertAt == count ? count : count / 2;
      ExtentBlock upper = new ExtentBlock();
      upper.resize(Math.max(INITIAL, count - kept));
      upper.count = count - kept;
      move(upper, kept, 0, upper.count);
      Arrays.fill(regions, kept, count, null);
      count = kept;
      return upper;
    }

    private void resize(int capacity) {
      starts = Arrays.copyOf(starts, capacity);
      lengths = Arrays.copyOf(lengths, capacity);
      offsets = Arrays.copyOf(offsets, capacity);
      regions = Arrays.copyOf(regions, capacity);
    }

    private void move(ExtentBlock target, int from, int to, int many) {
      System.arraycopy(starts, from, target.starts, to, many);
      System.arraycopy(lengths, from, target.lengths, to, many);
      System.arraycopy(offsets, from, target.offsets, to, many);
      System.arraycopy(regions, from, target.regions, to, many);
    }

    /** Index of the first extent that ends after an offset, or {@link #count}. */
    int firstEndingAfter(long offset) {
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
}
