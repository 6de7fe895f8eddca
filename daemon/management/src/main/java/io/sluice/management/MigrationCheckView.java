package io.sluice.management;

import java.util.List;

/**
 * The answer of {@code migration check}: obstacles and an estimate, as far as they can be seen
 * before anything is touched. Times are in nanoseconds; what was not found out is -1.
 *
 * @param blockers what stands in the way; empty when nothing does
 * @param memoryBytes video memory that the guest holds
 * @param roundTripNs to the destination's daemon and back
 * @param bytesPerSecond what the way carried just now
 * @param leastDowntimeNs how long it would stand still for its GPU in any case
 * @param mostDowntimeNs the same, if all of its video memory were written just before
 * @param downtimeLimitNs what the operator allows
 */
public record MigrationCheckView(
    List<MigrationBlocker> blockers,
    long memoryBytes,
    long roundTripNs,
    long bytesPerSecond,
    long leastDowntimeNs,
    long mostDowntimeNs,
    long downtimeLimitNs) {
  /** What was not found out. */
  public static final long UNKNOWN = -1;
}
