package io.sluice.quota;

import java.time.Duration;

/**
 * A guest's quota of its GPU, as the configuration or an operator sets it. It is right by itself;
 * {@link QuotaTable} says whether it fits beside the others.
 *
 * @param minimumBytes video memory the guest always gets, 0 to its limit
 * @param weight its part of what is shared, memory and time: 1 to {@link #MAX_WEIGHT}
 * @param limitBytes most video memory it ever gets; {@link #NO_LIMIT} for all of the card's
 * @param beyondShare the answer to an allocation beyond its share
 * @param killTimeout longest time of a command while another guest waits
 */
public record Quota(
    long minimumBytes, int weight, long limitBytes, BeyondShare beyondShare, Duration killTimeout) {
  /** The largest weight. */
  public static final int MAX_WEIGHT = 1024;

  /** No limit but the card. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** Shortest kill-timeout. */
  public static final Duration MIN_KILL_TIMEOUT = Duration.ofMillis(10);

  /** Longest kill-timeout. */
  public static final Duration MAX_KILL_TIMEOUT = Duration.ofHours(1);

  /** The quota of a guest of which nothing is said. */
  public static final Quota DEFAULT =
      new Quota(0, 1, NO_LIMIT, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));

  /**
   * Checks the values.
   *
   * @throws InvalidQuotaException naming the first that is wrong
   */
  public Quota {
    require(minimumBytes >= 0, InvalidQuotaException.Rule.MINIMUM, minimumBytes);
    require(limitBytes >= 0, InvalidQuotaException.Rule.LIMIT, limitBytes);
    require(isWeight(weight), InvalidQuotaException.Rule.WEIGHT, weight);
    require(
        killTimeout.compareTo(MIN_KILL_TIMEOUT) >= 0
            && killTimeout.compareTo(MAX_KILL_TIMEOUT) <= 0,
        InvalidQuotaException.Rule.KILL_TIMEOUT,
        killTimeout);
    require(
        minimumBytes <= limitBytes,
        InvalidQuotaException.Rule.MINIMUM_WITHIN_LIMIT,
        minimumBytes + " above " + limitBytes);
  }

  private static void require(boolean right, InvalidQuotaException.Rule rule, Object value) {
    if (!right) {
      throw new InvalidQuotaException(rule, value);
    }
  }

  /** Whether a number is a weight: 1 to {@link #MAX_WEIGHT}. */
  public static boolean isWeight(int weight) {
    return weight >= 1 && weight <= MAX_WEIGHT;
  }

  /** Whether the limit is another than the card. */
  public boolean hasLimit() {
    return limitBytes != NO_LIMIT;
  }

  /** Most video memory the guest ever gets of a card of this size. */
  public long limitOn(long cardBytes) {
    return Math.min(limitBytes, cardBytes);
  }
}
