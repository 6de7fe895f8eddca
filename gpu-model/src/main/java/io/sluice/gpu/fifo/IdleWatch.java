package io.sluice.gpu.fifo;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The control pages of channels for which only a new GP_PUT can mean work, side by side.
 *
 * <p>A card at rest wakes up some hundred times a second, to caches that hold others' data. To walk
 * its channels would then fetch ten cache lines of each; this fetches little more than the one that
 * the guest writes. Guarded by the GPU's lock.
 */
final class IdleWatch {
  private final @Nullable MemorySegment[] pages;
  private final long[] bases;
  private final int[] seen;
  private int count;

  /**
   * @param channels how many can be watched
   */
  IdleWatch(int channels) {
    pages = new @Nullable MemorySegment[channels];
    bases = new long[channels];
    seen = new int[channels];
  }

  /** Watches nothing any more, and keeps no mapping. */
  void clear() {
    Arrays.fill(pages, 0, count, null);
    count = 0;
  }

  /**
   * Watches one more control page.
   *
   * @param mapping the mapping it lies in
   * @param base its offset there
   * @param gpPut the value that is no news
   */
  void add(MemorySegment mapping, long base, int gpPut) {
    pages[count] = mapping;
    bases[count] = base;
    seen[count] = gpPut;
    count++;
  }

  /** Whether nothing is watched. */
  boolean isEmpty() {
    return count == 0;
  }

  /** Whether no GP_PUT has changed. */
  boolean isQuiet() {
    for (int i = 0; i < count; i++) {
      MemorySegment mapping = pages[i];
      if (mapping != null && Userd.gpPut(mapping, bases[i]) != seen[i]) {
        return false;
      }
    }
    return true;
  }
}
