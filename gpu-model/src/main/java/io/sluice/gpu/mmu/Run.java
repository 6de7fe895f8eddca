package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;

/**
 * The result of a translation: bytes that lie together in one mapping of the host. A reusable
 * holder, so that the data path allocates nothing; valid only while the GPU's lock is held.
 */
public final class Run {
  MemorySegment segment = MemorySegment.NULL;
  long offset;
  long length;
  boolean writable;
  boolean evicted;

  /** The mapping the bytes are in. */
  public MemorySegment segment() {
    return segment;
  }

  /** Offset of the first byte in {@link #segment}. */
  public long offset() {
    return offset;
  }

  /** Bytes that follow without a gap; at least 1. */
  public long length() {
    return length;
  }

  /** Whether the page table's target is system memory, where its buffer was moved to. */
  public boolean isEvicted() {
    return evicted;
  }

  void set(MemorySegment newSegment, long newOffset, long newLength, boolean newWritable) {
    segment = newSegment;
    offset = newOffset;
    length = newLength;
    writable = newWritable;
  }
}
