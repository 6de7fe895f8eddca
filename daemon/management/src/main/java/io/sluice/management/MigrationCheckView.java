package io.sluice.management;

import java.util.List;

/**
 * The answer of {@code migration check}: obstacles and an estimate, as far as they can be seen
 * before anything is touched. Times are in nanoseconds; what was not found out is -1.
 */
@Description(
    "The answer of migration check: obstacles and an estimate, as far as they can be seen before anything is touched. What was not found out is -1.")
public record MigrationCheckView(
    @Description("what stands in the way; empty when nothing does") List<MigrationBlocker> blockers,
    @Description("video memory that the guest holds") long memoryBytes,
    @Description("time to the destination's daemon and back") long roundTripNs,
    @Description("what the way carried just now") long bytesPerSecond,
    @Description("how long it would stand still for its GPU in any case") long leastDowntimeNs,
    @Description("the same, if all of its video memory were written just before")
        long mostDowntimeNs,
    @Description("what the operator allows") long downtimeLimitNs) {
  /** What was not found out. */
  public static final long UNKNOWN = -1;
}
