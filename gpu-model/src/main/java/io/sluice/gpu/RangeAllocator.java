package io.sluice.gpu;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Best-fit allocation of a range of bytes: the shortest free range that is long enough, and of
 * these the lowest. Every call takes as many steps as the number of free ranges has digits, however
 * a guest has cut them up. Guarded by the GPU's lock.
 */
final class RangeAllocator {
  /** What {@link #allocate} answers when there is no room. */
  static final long NO_ROOM = -1;

  /** A free range as one alignment sees it: what is left behind the first aligned byte. */
  private record Fit(long bytes, long start) {
    static final Comparator<Fit> ORDER =
        Comparator.comparingLong(Fit::bytes).thenComparingLong(Fit::start);
  }

  /** A range. */
  record AllocatedRange(long start, long bytes) {}

  /** Free ranges: start to length; no two touch. */
  private final TreeMap<Long, Long> free = new TreeMap<>();

  private final long[] alignments;
  private final TreeSet<Fit>[] fits;
  private long freeBytes;

  /**
   * @param alignments all that {@link #allocate} is ever given
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  RangeAllocator(long sizeBytes, long... alignments) {
    this.alignments = alignments.clone();
    this.fits = new TreeSet[alignments.length];
    for (int i = 0; i < fits.length; i++) {
      fits[i] = new TreeSet<>(Fit.ORDER);
    }
    if (sizeBytes > 0) {
      put(0, sizeBytes);
    }
    freeBytes = sizeBytes;
  }

  long freeBytes() {
    return freeBytes;
  }

  /** The free range that an offset lies in, or the next one; null behind the last. */
  @Nullable AllocatedRange freeAt(long offset) {
    Map.Entry<Long, Long> before = free.floorEntry(offset);
    if (before != null && end(before) > offset) {
      return new AllocatedRange(offset, end(before) - offset);
    }
    Map.Entry<Long, Long> next = free.ceilingEntry(offset);
    return next == null ? null : new AllocatedRange(next.getKey(), next.getValue());
  }

  long allocate(long bytes, long alignment) {
    int index = indexOf(alignment);
    Fit fit = fits[index].ceiling(new Fit(bytes, 0));
    if (fit == null) {
      return NO_ROOM;
    }
    if (!allocateAt(fit.start, bytes)) {
      throw new AssertionError("a fit lies in a free range, start=" + fit.start);
    }
    return fit.start;
  }

  private int indexOf(long alignment) {
    for (int i = 0; i < alignments.length; i++) {
      if (alignments[i] == alignment) {
        return i;
      }
    }
    throw new AssertionError("no such alignment, alignment=" + alignment);
  }

  /** Allocates a certain range; false when some of it is taken. */
  boolean allocateAt(long start, long bytes) {
    Map.Entry<Long, Long> range = free.floorEntry(start);
    if (range == null || end(range) - start < bytes) {
      return false;
    }
    cut(range.getKey(), range.getValue(), start, bytes);
    return true;
  }

  private static long end(Map.Entry<Long, Long> range) {
    return range.getKey() + range.getValue();
  }

  void free(long start, long bytes) {
    long newStart = start;
    long newBytes = bytes;
    Map.Entry<Long, Long> before = free.floorEntry(start);
    if (before != null && end(before) == start) {
      newStart = before.getKey();
      newBytes += take(newStart);
    }
    if (free.containsKey(start + bytes)) {
      newBytes += take(start + bytes);
    }
    put(newStart, newBytes);
    freeBytes += bytes;
  }

  private void cut(long rangeStart, long rangeBytes, long start, long bytes) {
    take(rangeStart);
    if (start > rangeStart) {
      put(rangeStart, start - rangeStart);
    }
    long rest = rangeStart + rangeBytes - (start + bytes);
    if (rest > 0) {
      put(start + bytes, rest);
    }
    freeBytes -= bytes;
  }

  private void put(long start, long bytes) {
    free.put(start, bytes);
    for (int i = 0; i < fits.length; i++) {
      fits[i].add(fit(i, start, bytes));
    }
  }

  /** Takes a free range out of the tables; its length. */
  private long take(long start) {
    Long bytes = free.remove(start);
    if (bytes == null) {
      throw new AssertionError("no free range begins there, start=" + start);
    }
    for (int i = 0; i < fits.length; i++) {
      fits[i].remove(fit(i, start, bytes));
    }
    return bytes;
  }

  private Fit fit(int index, long start, long bytes) {
    long aligned = (start + alignments[index] - 1) & -alignments[index];
    return new Fit(bytes - (aligned - start), aligned);
  }
}
