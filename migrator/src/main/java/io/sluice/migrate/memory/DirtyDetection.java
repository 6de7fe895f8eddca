package io.sluice.migrate.memory;

/**
 * How it is found out which pages changed since they were sent. Switches exist so that each part
 * can be measured.
 *
 * @param exact ask the GPU, where it knows, which pages it wrote; those are sent unseen
 * @param hashing compare fingerprints of all others, because processors write video memory too and
 *     nobody tells; without it every page counts as changed
 * @param sampling compare a sample first
 * @param overlapped send changed pages while others are still being compared; without it all are
 *     compared first
 */
public record DirtyDetection(boolean exact, boolean hashing, boolean sampling, boolean overlapped) {
  /** Everything on. */
  public static final DirtyDetection DEFAULT = new DirtyDetection(true, true, true, true);

  /** Nothing on: every page is sent again (gMig's "basic"). */
  public static final DirtyDetection NONE = new DirtyDetection(false, false, false, false);
}
