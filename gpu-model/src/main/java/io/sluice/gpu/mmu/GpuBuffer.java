package io.sluice.gpu.mmu;

import org.jspecify.annotations.Nullable;

/**
 * A buffer object as the MMU sees it: its bytes, how often it is mapped, and which of its pages the
 * GPU has written. Guarded by the GPU's lock and the open's gate.
 */
public class GpuBuffer {
  private final long sizeBytes;
  private final long alignment;
  private final Backing backing;
  private int mappings;

  /** Changed under the GPU's lock alone: the engine may see it a turn later. */
  private boolean evicted;

  private @Nullable DirtyPages dirty;

  /**
   * @param sizeBytes length, a multiple of the alignment
   * @param alignment of its GPU addresses: 4 KiB or 128 KiB
   * @param backing where its bytes are
   */
  public GpuBuffer(long sizeBytes, long alignment, Backing backing) {
    this.sizeBytes = sizeBytes;
    this.alignment = alignment;
    this.backing = backing;
  }

  /** Length in bytes. */
  public final long sizeBytes() {
    return sizeBytes;
  }

  /** Where its bytes are. */
  public final Backing backing() {
    return backing;
  }

  /** Whether it counts as system memory though it is video memory: see {@link Run#isEvicted}. */
  public final void setEvicted(boolean newEvicted) {
    evicted = newEvicted;
  }

  final boolean isEvicted() {
    return evicted;
  }

  /** Whether some address space maps it. */
  public final boolean isMapped() {
    return mappings > 0;
  }

  /**
   * Which pages the GPU has written since they were last cleared.
   *
   * @param count pages, 1 to 64, all of the buffer
   * @param clear whether to forget that those were written
   * @return a bit for each written page, the lowest for the first
   */
  public final long readDirty(long firstPage, int count, boolean clear) {
    return dirty == null ? 0 : dirty.read(firstPage, count, clear);
  }

  final long alignment() {
    return alignment;
  }

  final void mapped() {
    mappings++;
    if (dirty == null) {
      dirty = new DirtyPages(sizeBytes);
    }
  }

  final void unmapped() {
    mappings--;
  }

  final void written(long offset, long bytes) {
    if (dirty != null) {
      dirty.mark(offset, bytes);
    }
  }
}
