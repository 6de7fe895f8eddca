package io.sluice.gpu.mmu;

import java.util.Arrays;

/**
 * The mappings of an address space at one moment, by address. It never changes: whoever maps or
 * unmaps makes another one, which shares all chunks but the one that changed. So the workers of
 * grids read it without a lock, and a change copies a few KiB however many mappings there are.
 */
final class MappingTable {
  /** No mappings. */
  static final MappingTable EMPTY = new MappingTable(new MappingBlock[0], 0);

  private static final int MAX_CHUNK = 256;

  private final MappingBlock[] chunks;
  private final int count;

  private MappingTable(MappingBlock[] chunks, int count) {
    this.chunks = chunks;
    this.count = count;
  }

  /** Mappings side by side: never empty. */
  private static final class MappingBlock {
    final long[] starts;
    final long[] ends;
    final GpuBuffer[] buffers;

    /** Most bytes between two of them: whoever needs more need not go through them. */
    final long largestGap;

    MappingBlock(long[] starts, long[] ends, GpuBuffer[] buffers) {
      this.starts = starts;
      this.ends = ends;
      this.buffers = buffers;
      long largest = 0;
      for (int i = 1; i < starts.length; i++) {
        largest = Math.max(largest, starts[i] - ends[i - 1]);
      }
      largestGap = largest;
    }

    int count() {
      return starts.length;
    }

    long lastEnd() {
      return ends[ends.length - 1];
    }

    int firstEndingAfter(long address) {
      int low = 0;
      int high = ends.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (ends[middle] > address) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    MappingBlock with(int index, long start, GpuBuffer buffer) {
      long[] moreStarts = Arrays.copyOf(starts, count() + 1);
      long[] moreEnds = Arrays.copyOf(ends, count() + 1);
      GpuBuffer[] moreBuffers = Arrays.copyOf(buffers, count() + 1);
      int tail = count() - index;
      System.arraycopy(starts, index, moreStarts, index + 1, tail);
      System.arraycopy(ends, index, moreEnds, index + 1, tail);
      System.arraycopy(buffers, index, moreBuffers, index + 1, tail);
      moreStarts[index] = start;
      moreEnds[index] = start + buffer.sizeBytes();
      moreBuffers[index] = buffer;
      return new MappingBlock(moreStarts, moreEnds, moreBuffers);
    }

    MappingBlock without(int index) {
      long[] fewerStarts = Arrays.copyOf(starts, count() - 1);
      long[] fewerEnds = Arrays.copyOf(ends, count() - 1);
      GpuBuffer[] fewerBuffers = Arrays.copyOf(buffers, count() - 1);
      int tail = count() - index - 1;
      System.arraycopy(starts, index + 1, fewerStarts, index, tail);
      System.arraycopy(ends, index + 1, fewerEnds, index, tail);
      System.arraycopy(buffers, index + 1, fewerBuffers, index, tail);
      return new MappingBlock(fewerStarts, fewerEnds, fewerBuffers);
    }

    boolean isSmallWith(MappingBlock neighbour) {
      return count() + neighbour.count() <= MAX_CHUNK / 2;
    }

    /** This one and the next in one. */
    MappingBlock joined(MappingBlock next) {
      int all = count() + next.count();
      long[] allStarts = Arrays.copyOf(starts, all);
      long[] allEnds = Arrays.copyOf(ends, all);
      GpuBuffer[] allBuffers = Arrays.copyOf(buffers, all);
      System.arraycopy(next.starts, 0, allStarts, count(), next.count());
      System.arraycopy(next.ends, 0, allEnds, count(), next.count());
      System.arraycopy(next.buffers, 0, allBuffers, count(), next.count());
      return new MappingBlock(allStarts, allEnds, allBuffers);
    }

    MappingBlock part(int from, int to) {
      return new MappingBlock(
          Arrays.copyOfRange(starts, from, to),
          Arrays.copyOfRange(ends, from, to),
          Arrays.copyOfRange(buffers, from, to));
    }
  }

  int count() {
    return count;
  }

  /**
   * Finds the mapping that contains an address.
   *
   * @return its chunk and index, as {@link #start} and its like take them, or -1
   */
  long seek(long address) {
    int number = chunkEndingAfter(address);
    if (number == chunks.length) {
      return -1;
    }
    int index = chunks[number].firstEndingAfter(address);
    return chunks[number].starts[index] <= address ? (long) number << 32 | index : -1;
  }

  long start(long place) {
    return chunks[(int) (place >>> 32)].starts[(int) place];
  }

  GpuBuffer buffer(long place) {
    return chunks[(int) (place >>> 32)].buffers[(int) place];
  }

  /** The table with one more mapping, which overlaps none. */
  MappingTable with(long start, GpuBuffer buffer) {
    if (chunks.length == 0) {
      long[] starts = {start};
      long[] ends = {start + buffer.sizeBytes()};
      return new MappingTable(
          new MappingBlock[] {new MappingBlock(starts, ends, new GpuBuffer[] {buffer})}, 1);
    }
    int number = Math.min(chunkEndingAfter(start), chunks.length - 1);
    MappingBlock changed =
        chunks[number].with(chunks[number].firstEndingAfter(start), start, buffer);
    if (changed.count() <= MAX_CHUNK) {
      MappingBlock[] made = chunks.clone();
      made[number] = changed;
      return new MappingTable(made, count + 1);
    }
    MappingBlock[] made = Arrays.copyOf(chunks, chunks.length + 1);
    System.arraycopy(chunks, number, made, number + 1, chunks.length - number);
    // What grows at its end leaves full chunks behind.
    int kept = number == chunks.length - 1 ? MAX_CHUNK : MAX_CHUNK / 2;
    made[number] = changed.part(0, kept);
    made[number + 1] = changed.part(kept, changed.count());
    return new MappingTable(made, count + 1);
  }

  /**
   * The table without a mapping that {@link #seek} has found. Neighbours that are small together
   * become one chunk, so that there are never many more than the mappings need.
   */
  MappingTable without(long place) {
    int number = (int) (place >>> 32);
    if (chunks[number].count() == 1) {
      return new MappingTable(chunksWithout(number), count - 1);
    }
    MappingBlock left = chunks[number].without((int) place);
    if (number + 1 < chunks.length && left.isSmallWith(chunks[number + 1])) {
      MappingBlock[] made = chunksWithout(number);
      made[number] = left.joined(chunks[number + 1]);
      return new MappingTable(made, count - 1);
    }
    if (number > 0 && left.isSmallWith(chunks[number - 1])) {
      MappingBlock[] made = chunksWithout(number);
      made[number - 1] = chunks[number - 1].joined(left);
      return new MappingTable(made, count - 1);
    }
    MappingBlock[] made = chunks.clone();
    made[number] = left;
    return new MappingTable(made, count - 1);
  }

  private MappingBlock[] chunksWithout(int number) {
    MappingBlock[] made = Arrays.copyOf(chunks, chunks.length - 1);
    System.arraycopy(chunks, number + 1, made, number, made.length - number);
    return made;
  }

  /** The buffers of the last chunk; the table is not empty. */
  GpuBuffer[] lastBuffers() {
    return chunks[chunks.length - 1].buffers;
  }

  /** The table without its last chunk. */
  MappingTable withoutLast() {
    int left = chunks.length - 1;
    return new MappingTable(Arrays.copyOf(chunks, left), count - lastBuffers().length);
  }

  /** Lowest aligned address at which so many bytes are free; it may lie anywhere above. */
  long lowestFree(long from, long bytes, long alignment) {
    long candidate = alignUp(from, alignment);
    for (int number = chunkEndingAfter(candidate); number < chunks.length; number++) {
      MappingBlock chunk = chunks[number];
      int last = chunk.count() - 1;
      int i = chunk.firstEndingAfter(candidate);
      while (i <= last) {
        if (chunk.starts[i] - candidate >= bytes) {
          return candidate;
        }
        i = chunk.largestGap < bytes ? last : i;
        candidate = alignUp(chunk.ends[i], alignment);
        i++;
      }
    }
    return candidate;
  }

  /** Highest aligned address below a limit at which so many bytes are free, if it is not below. */
  long highestFree(long from, long top, long bytes, long alignment) {
    long candidate = alignDown(top - bytes, alignment);
    for (int number = chunks.length - 1; number >= 0 && candidate >= from; number--) {
      MappingBlock chunk = chunks[number];
      if (chunk.starts[0] >= candidate + bytes) {
        continue;
      }
      int i = chunk.count() - 1;
      while (i >= 0 && candidate >= from) {
        if (chunk.ends[i] <= candidate) {
          return candidate;
        }
        i = chunk.largestGap < bytes ? 0 : i;
        if (chunk.starts[i] < candidate + bytes) {
          candidate = alignDown(chunk.starts[i] - bytes, alignment);
        }
        i--;
      }
    }
    return candidate;
  }

  /** The first chunk with a mapping that ends after an address. */
  private int chunkEndingAfter(long address) {
    int low = 0;
    int high = chunks.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (chunks[middle].lastEnd() > address) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private static long alignUp(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }

  private static long alignDown(long value, long alignment) {
    return value & -alignment;
  }
}
