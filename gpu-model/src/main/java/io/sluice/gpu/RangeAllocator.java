package io.sluice.gpu;

import java.util.Map;
import java.util.TreeMap;

/** First-fit allocation of a range of bytes. Guarded by the GPU's lock. */
final class RangeAllocator {
  /** What {@link #allocate} answers when there is no room. */
  static final long NO_ROOM = -1;

  /** Free ranges: start to length; no two touch. */
  private final TreeMap<Long, Long> free = new TreeMap<>();

  private long freeBytes;

  RangeAllocator(long sizeBytes) {
    if (sizeBytes > 0) {
      free.put(0L, sizeBytes);
    }
    freeBytes = sizeBytes;
  }

  long freeBytes() {
    return freeBytes;
  }

  /** The free ranges, start to length. */
  Map<Long, Long> freeRanges() {
    return free;
  }

  long allocate(long bytes, long alignment) {
    for (Map.Entry<Long, Long> range : free.entrySet()) {
      long start = (range.getKey() + alignment - 1) & -alignment;
      long padding = start - range.getKey();
      if (range.getValue() - padding >= bytes) {
        cut(range.getKey(), range.getValue(), start, bytes);
        return start;
      }
    }
    return NO_ROOM;
  }

  /** Allocates a certain range; false when some of it is taken. */
  boolean allocateAt(long start, long bytes) {
    Map.Entry<Long, Long> range = free.floorEntry(start);
    if (range == null || range.getKey() + range.getValue() - start < bytes) {
      return false;
    }
    cut(range.getKey(), range.getValue(), start, bytes);
    return true;
  }

  void free(long start, long bytes) {
    long newStart = start;
    long newBytes = bytes;
    Map.Entry<Long, Long> before = free.floorEntry(start);
    if (before != null && before.getKey() + before.getValue() == start) {
      newStart = before.getKey();
      newBytes += before.getValue();
    }
    Long after = free.remove(start + bytes);
    if (after != null) {
      newBytes += after;
    }
    free.put(newStart, newBytes);
    freeBytes += bytes;
  }

  private void cut(long rangeStart, long rangeBytes, long start, long bytes) {
    free.remove(rangeStart);
    if (start > rangeStart) {
      free.put(rangeStart, start - rangeStart);
    }
    long rest = rangeStart + rangeBytes - (start + bytes);
    if (rest > 0) {
      free.put(start + bytes, rest);
    }
    freeBytes -= bytes;
  }
}
