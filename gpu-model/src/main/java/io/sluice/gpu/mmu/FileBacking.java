package io.sluice.gpu.mmu;

import java.lang.foreign.MemorySegment;

/**
 * A contiguous range of a file of the GPU's own: video memory, or system memory of a process guest.
 *
 * @param segment the mapping of the whole file
 * @param base offset of the buffer in it
 * @param sizeBytes length of the buffer
 */
public record FileBacking(MemorySegment segment, long base, long sizeBytes) implements Backing {
  @Override
  public boolean locate(long offset, Run run) {
    run.set(segment, base + offset, sizeBytes - offset, true);
    return true;
  }

  @Override
  public boolean isComplete() {
    return true;
  }
}
