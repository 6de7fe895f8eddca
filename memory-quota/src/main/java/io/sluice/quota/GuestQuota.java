package io.sluice.quota;

/**
 * What an operator set for a guest, and how it stands. Nothing is checked here: {@link Admission}
 * says whether the values fit together.
 *
 * @param name unique on the card
 * @param minimumBytes video memory it always gets, 0 to its limit
 * @param weight its part of what is shared, 1 to {@link #MAX_WEIGHT}
 * @param limitBytes most it ever gets; {@link #NO_LIMIT} for the whole card
 * @param usesGpu whether it takes part in sharing now
 * @param heldBytes video memory it holds now
 */
public record GuestQuota(
    String name, long minimumBytes, int weight, long limitBytes, boolean usesGpu, long heldBytes) {
  /** The largest weight. */
  public static final int MAX_WEIGHT = 1024;

  /** No limit but the card. */
  public static final long NO_LIMIT = Long.MAX_VALUE;
}
