package io.sluice.gpu;

import java.util.Map;

/**
 * A sparse memory file that buffers are allocated in. Its guest maps the whole of it, so it can
 * touch pages that no buffer has: a freed range is punched at once, and {@link #sweep} finds what
 * was touched without having been allocated. Guarded by the GPU's lock.
 */
final class Aperture implements AutoCloseable {
  private final SharedFile file;
  private final long sizeBytes;
  private final RangeAllocator ranges;

  Aperture(SharedFile file, long sizeBytes) {
    this.file = file;
    this.sizeBytes = sizeBytes;
    this.ranges = new RangeAllocator(sizeBytes);
  }

  SharedFile file() {
    return file;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Offset of new zeroed memory, or {@link RangeAllocator#NO_ROOM}. */
  long allocate(long bytes, long alignment) {
    return ranges.allocate(bytes, alignment);
  }

  boolean allocateAt(long offset, long bytes) {
    return ranges.allocateAt(offset, bytes);
  }

  void free(long offset, long bytes) {
    file.punch(offset, bytes);
    ranges.free(offset, bytes);
  }

  /**
   * Gives back pages that no buffer has.
   *
   * @return bytes that were found; 0 when there were none
   */
  long sweep() {
    long before = file.allocatedBytes();
    if (before <= sizeBytes - ranges.freeBytes()) {
      return 0;
    }
    for (Map.Entry<Long, Long> range : ranges.freeRanges().entrySet()) {
      file.punch(range.getKey(), range.getValue());
    }
    return Math.max(0, before - file.allocatedBytes());
  }

  @Override
  public void close() {
    file.close();
  }
}
