package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Guest memory that was registered: a mapped range of a file of the guest. After {@link #revoke} no
 * translation leads here any more, whatever still refers to it.
 */
public final class MemoryRegion {
  private final int id;
  private final long sizeBytes;
  private final boolean writable;
  private @Nullable MemorySegment segment;

  /**
   * @param id the region's number of this open
   * @param segment the mapped range
   * @param writable whether the GPU may write
   */
  public MemoryRegion(int id, MemorySegment segment, boolean writable) {
    this.id = id;
    this.segment = segment;
    this.sizeBytes = segment.byteSize();
    this.writable = writable;
  }

  /** The region's number of this open. */
  public int id() {
    return id;
  }

  /** Length in bytes. */
  public long sizeBytes() {
    return sizeBytes;
  }

  boolean writable() {
    return writable;
  }

  @Nullable MemorySegment segment() {
    return segment;
  }

  /** Takes the memory away from every buffer that was made of it. */
  public void revoke() {
    segment = null;
  }
}
