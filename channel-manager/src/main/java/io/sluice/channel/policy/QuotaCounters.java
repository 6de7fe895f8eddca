package io.sluice.channel.policy;

/**
 * Counts of what was done to a guest since its quota was first set.
 *
 * @param evictions buffers moved to system memory
 * @param returns buffers moved back
 * @param refusals allocations refused for want of room
 */
public record QuotaCounters(long evictions, long returns, long refusals) {
  static final QuotaCounters NONE = new QuotaCounters(0, 0, 0);

  QuotaCounters plus(long moreEvictions, long moreReturns, long moreRefusals) {
    return new QuotaCounters(
        evictions + moreEvictions, returns + moreReturns, refusals + moreRefusals);
  }
}
