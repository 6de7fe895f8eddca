package io.sluice.quota;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * The quotas of the guests of one card, those included that do not use the GPU now: a minimum is
 * there whenever its guest comes. Guarded by its owner's lock.
 */
public final class QuotaTable {
  /** Guests of a card. */
  public static final int MAX_GUESTS = 256;

  /** Video memory of a card, 16 TiB: products of bytes and weights stay within a long. */
  public static final long MAX_CARD_BYTES = 1L << 44;

  private final long cardBytes;
  private final SortedMap<String, Quota> quotas = new TreeMap<>();

  /**
   * @param cardBytes video memory of the card, 0 to {@link #MAX_CARD_BYTES}
   */
  public QuotaTable(long cardBytes) {
    if (cardBytes < 0 || cardBytes > MAX_CARD_BYTES) {
      throw new IllegalArgumentException("no size of a card, bytes=" + cardBytes);
    }
    this.cardBytes = cardBytes;
  }

  /** Video memory of the card. */
  public long cardBytes() {
    return cardBytes;
  }

  /** Whether a guest's quota fits beside those of the others. */
  Admission check(String guest, Quota wanted) {
    int others = quotas.size() - (quotas.containsKey(guest) ? 1 : 0);
    if (others >= MAX_GUESTS) {
      return new Admission.Refused(
          Admission.RefusalReason.TOO_MANY,
          "the card has " + others + " guests, at most " + MAX_GUESTS,
          "Remove one.",
          0);
    }
    // Each of the others was admitted: the sum is no more than the card.
    long reserved = 0;
    for (var other : quotas.entrySet()) {
      reserved += other.getKey().equals(guest) ? 0 : other.getValue().minimumBytes();
    }
    long left = cardBytes - reserved;
    if (wanted.minimumBytes() <= left) {
      return new Admission.Admitted();
    }
    return new Admission.Refused(
        Admission.RefusalReason.DOES_NOT_FIT,
        String.format(
            Locale.ROOT,
            "the minimums of %d guests leave %d bytes of %d, %d requested",
            others,
            left,
            cardBytes,
            wanted.minimumBytes()),
        "Ask for a minimum of " + left + " bytes or less, or lower another guest's.",
        left);
  }

  /** Admits a guest, or changes its quota; refused, nothing has changed. */
  public Admission put(String guest, Quota wanted) {
    Admission answer = check(guest, wanted);
    if (answer instanceof Admission.Admitted) {
      quotas.put(guest, wanted);
    }
    return answer;
  }

  /**
   * Video memory that is out of reach for eviction: of each guest its minimum, or what it holds
   * that cannot be evicted, if that is more.
   *
   * @param heldBytes by name
   */
  public long firmBytes(ToLongFunction<String> heldBytes) {
    long firm = 0;
    for (Map.Entry<String, Quota> each : quotas.entrySet()) {
      firm += Math.max(each.getValue().minimumBytes(), heldBytes.applyAsLong(each.getKey()));
    }
    return firm;
  }

  /** Forgets a guest. */
  public void remove(String guest) {
    quotas.remove(guest);
  }

  /** Whether a guest was admitted. */
  public boolean contains(String guest) {
    return quotas.containsKey(guest);
  }

  /** A guest's quota; the default where none was set. */
  public Quota get(String guest) {
    return quotas.getOrDefault(guest, Quota.DEFAULT);
  }

  /**
   * Video memory that each guest may hold now, in bytes by name; all guests are in it.
   *
   * @param usingGpu names of those that take part in sharing; the others have 0
   */
  public SortedMap<String, Long> shares(Set<String> usingGpu) {
    SortedMap<String, Quota> sharing = new TreeMap<>(quotas);
    sharing.keySet().retainAll(usingGpu);
    SortedMap<String, Long> shares = Shares.of(cardBytes, sharing);
    quotas.keySet().forEach(name -> shares.putIfAbsent(name, 0L));
    return shares;
  }
}
