package io.sluice.gpu.mmu;

/** The place of the bytes of a buffer. */
public sealed interface Backing permits FileBacking, ExtentBacking {
  /**
   * Finds the bytes at an offset and how many follow them without a gap.
   *
   * @param offset inside the buffer
   * @param run receives the answer
   * @return false when the page has no memory: not imported yet, or revoked
   */
  boolean locate(long offset, Run run);

  /** Whether every page has been given memory. */
  boolean isComplete();
}
