package io.sluice.gpu.sm.memory;

import java.lang.foreign.MemorySegment;

/**
 * A range of GPU addresses that lies together in host memory. One worker's own, used again for
 * other ranges; an empty one contains no address.
 */
public final class Window {
  public MemorySegment segment = MemorySegment.NULL;

  /** First GPU address. */
  public long start;

  /** Bytes; a multiple of the access sizes, as start is. */
  public long length;

  /** What is added to a GPU address to get its offset in {@link #segment}. */
  public long delta;

  /**
   * Sets what the window shows.
   *
   * @param newSegment host memory
   * @param newBase offset in it
   * @param newStart GPU address of the byte at that offset, a multiple of 4 KiB
   * @param newLength bytes, a multiple of 4 KiB
   */
  public void set(MemorySegment newSegment, long newBase, long newStart, long newLength) {
    segment = newSegment;
    delta = newBase - newStart;
    start = newStart;
    length = newLength;
  }

  /** Whether an address is inside; aligned accesses then are as a whole. */
  boolean contains(long address) {
    return Long.compareUnsigned(address - start, length) < 0;
  }

  /** Whether an aligned address is inside a window; an access then is as a whole. */
  public static boolean contains(long address, long start, long length, long alignmentMask) {
    return (address & alignmentMask) == 0 && Long.compareUnsigned(address - start, length) < 0;
  }

  void clear() {
    segment = MemorySegment.NULL;
    length = 0;
  }

  /** Leaves out a range of addresses, keeping the side on which an address is. */
  void exclude(long from, long bytes, long keep) {
    long end = start + length;
    if (from + bytes <= start || from >= end) {
      return;
    }
    if (keep < from) {
      length = from - start;
    } else {
      long cut = from + bytes - start;
      start += cut;
      length -= cut;
    }
  }
}
