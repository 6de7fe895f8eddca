package io.sluice.migrate.memory;

/**
 * The detection of pages that changed since they were sent. Switches exist so that each part can be
 * measured.
 *
 * @param exact ask the GPU, where it knows, which pages it wrote
 * @param compared what the GPU has written is compared like all else, as it often writes what was
 *     there; without it those pages are sent unseen
 * @param hashing compare fingerprints, because processors write video memory too and nobody tells;
 *     without it every page counts as changed
 * @param sampling compare a sample first
 * @param overlapped send changed pages while others are still being compared; without it all are
 *     compared first
 */
public record DirtyDetection(
    boolean exact, boolean compared, boolean hashing, boolean sampling, boolean overlapped) {
  /** Everything on. */
  public static final DirtyDetection DEFAULT = new DirtyDetection(true, true, true, true, true);

  /** Nothing on: every page is sent again (gMig's "basic"). */
  public static final DirtyDetection NONE = new DirtyDetection(false, false, false, false, false);
}
