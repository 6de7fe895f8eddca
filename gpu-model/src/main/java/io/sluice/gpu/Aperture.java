package io.sluice.gpu;

import io.sluice.abi.pscnv.PscnvGem;
import org.jspecify.annotations.Nullable;

/**
 * A sparse memory file that buffers are allocated in. Its guest maps the whole of it, so it can
 * touch pages that no buffer has; those are found by comparing what the file holds with what was
 * allocated.
 *
 * <p>A range that is freed still holds what was in it: whoever frees it punches it, outside the
 * GPU's lock, and gives it back after that. Until then nobody is given it. Guarded by the GPU's
 * lock, but for {@link #punch}.
 */
final class Aperture implements AutoCloseable {
  private final SharedFile file;
  private final long sizeBytes;
  private final RangeAllocator ranges;

  Aperture(SharedFile file, long sizeBytes) {
    this.file = file;
    this.sizeBytes = sizeBytes;
    this.ranges =
        new RangeAllocator(sizeBytes, PscnvGem.SMALL_PAGE_BYTES, PscnvGem.LARGE_PAGE_BYTES);
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

  /** Empties an allocated range that nobody uses any more. */
  void punch(long offset, long bytes) {
    file.punch(offset, bytes);
  }

  /** Has a range allocated again by anybody; it was punched. */
  void giveBack(long offset, long bytes) {
    ranges.free(offset, bytes);
  }

  /** Bytes the file holds beyond what was allocated; what was freed and not punched yet is none. */
  long excessBytes() {
    return Math.max(0, file.allocatedBytes() - (sizeBytes - ranges.freeBytes()));
  }

  /**
   * Takes some free memory out of use, so that it can be punched.
   *
   * @param from where to look from
   * @param bytes most that is taken
   * @return what was taken, to be given back; null when nothing behind that offset is free
   */
  RangeAllocator.@Nullable AllocatedRange takeFree(long from, long bytes) {
    RangeAllocator.AllocatedRange free = ranges.freeAt(from);
    if (free == null) {
      return null;
    }
    RangeAllocator.AllocatedRange taken =
        new RangeAllocator.AllocatedRange(free.start(), Math.min(free.bytes(), bytes));
    if (!ranges.allocateAt(taken.start(), taken.bytes())) {
      throw new AssertionError("a free range can be taken, start=" + taken.start());
    }
    return taken;
  }

  @Override
  public void close() {
    file.close();
  }
}
