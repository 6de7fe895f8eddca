package io.sluice.quota;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The shares of guests in a card's video memory.
 *
 * <p>One level rises from zero for all guests. A guest's share is its weight times the level, but
 * never below its minimum nor above its limit. The level stops where the card is full:
 *
 * <pre>
 *   share(g) = floor(clamp(weight(g) * level, minimum(g), limit(g)))
 *   level    = the largest for which the shares, before rounding, are no more than the card
 * </pre>
 *
 * <p>Rounding is downwards only. Fewer bytes than there are guests are lost by it, and in return
 * the shares need no tie-breaking: they do not depend on names or order, and because another guest
 * can only lower the level, no share rises when one comes.
 */
final class Shares {
  private Shares() {}

  /**
   * @param cardBytes video memory of the card, 0 to {@link QuotaTable#MAX_CARD_BYTES}
   * @param guests the quotas of those that share, at most {@link QuotaTable#MAX_GUESTS}
   * @return bytes by name
   * @throws IllegalArgumentException when the minimums are more than the card
   */
  static SortedMap<String, Long> of(long cardBytes, Map<String, Quota> guests) {
    Level level = level(cardBytes, guests.values());
    SortedMap<String, Long> shares = new TreeMap<>();
    guests.forEach((name, quota) -> shares.put(name, level.share(quota, cardBytes)));
    return shares;
  }

  /** A level of {@code bytes / weights} for each unit of weight; without bound if weights is 0. */
  private record Level(long bytes, long weights) {
    long share(Quota guest, long cardBytes) {
      long limit = guest.limitOn(cardBytes);
      long risen = weights == 0 ? limit : guest.weight() * bytes / weights;
      return Math.clamp(risen, guest.minimumBytes(), limit);
    }
  }

  /**
   * The point at which a guest leaves its minimum, or reaches its limit: at the level {@code
   * bytes/weight}.
   */
  private record Turn(long bytes, int weight, boolean leavesMinimum) implements Comparable<Turn> {
    @Override
    public int compareTo(Turn other) {
      int byLevel = Long.compare(bytes * other.weight, other.bytes * weight);
      // Leaving comes first: a guest whose minimum is its limit does both at one level.
      return byLevel != 0 ? byLevel : Boolean.compare(other.leavesMinimum, leavesMinimum);
    }
  }

  private static Level level(long cardBytes, Collection<Quota> sharing) {
    if (cardBytes < 0
        || cardBytes > QuotaTable.MAX_CARD_BYTES
        || sharing.size() > QuotaTable.MAX_GUESTS) {
      throw new IllegalArgumentException("bytes=" + cardBytes + " guests=" + sharing.size());
    }
    List<Turn> turns = new ArrayList<>(2 * sharing.size());
    long fixed = 0;
    for (Quota guest : sharing) {
      long limit = guest.limitOn(cardBytes);
      // Both at most the card, so that no sum of them overflows.
      if (guest.minimumBytes() > limit) {
        throw new IllegalArgumentException("card=" + cardBytes + " " + guest);
      }
      fixed += guest.minimumBytes();
      turns.add(new Turn(guest.minimumBytes(), guest.weight(), true));
      turns.add(new Turn(limit, guest.weight(), false));
    }
    if (fixed > cardBytes) {
      throw new IllegalArgumentException("minimums=" + fixed + " card=" + cardBytes);
    }
    turns.sort(null);
    long weights = 0;
    for (Turn turn : turns) {
      if (weights * turn.bytes() > (cardBytes - fixed) * turn.weight()) {
        break;
      }
      fixed += turn.leavesMinimum() ? -turn.bytes() : turn.bytes();
      weights += turn.leavesMinimum() ? turn.weight() : -turn.weight();
    }
    return new Level(cardBytes - fixed, weights);
  }
}
