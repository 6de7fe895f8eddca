package io.sluice.quota;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Whether quotas fit on a card. A refusal changes nothing and gives the numbers. */
public sealed interface Admission {
  /** Guests of a card. */
  int MAX_GUESTS = 256;

  /** Video memory of a card, 16 TiB: products of bytes and weights stay within a long. */
  long MAX_CARD_BYTES = 1L << 44;

  /** The quotas fit. */
  record Admitted() implements Admission {}

  /**
   * The quotas do not fit.
   *
   * @param code SLU-QUOTA-001 a value out of range, 002 a minimum that does not fit, 003 a name
   *     twice, 004 too many guests
   * @param guest whose quota it is; empty when it is no one's
   * @param cause why, with the numbers in bytes
   * @param fix what to do
   * @param leftBytes of 002 the largest minimum that fits, otherwise 0
   */
  record Refused(String code, String guest, String cause, String fix, long leftBytes)
      implements Admission {
    Refused(String code, String guest, String cause, String fix) {
      this(code, guest, cause, fix, 0);
    }
  }

  /** Code of a minimum that does not fit beside the others. */
  String DOES_NOT_FIT = "SLU-QUOTA-002";

  /**
   * Checks all guests of a card together, those included that do not use the GPU now: a minimum is
   * there whenever its guest comes.
   *
   * @param cardBytes video memory of the card
   * @param others guests that were admitted
   * @param wanted the guest that is new, or whose quota changes; not among the others
   */
  static Admission check(long cardBytes, Collection<GuestQuota> others, GuestQuota wanted) {
    if (cardBytes < 0 || cardBytes > MAX_CARD_BYTES) {
      return new Refused(
          "SLU-QUOTA-001",
          "",
          "no size of a card, bytes=" + cardBytes,
          "Give 0 to " + MAX_CARD_BYTES + ".");
    }
    if (others.size() >= MAX_GUESTS) {
      return new Refused(
          "SLU-QUOTA-004",
          wanted.name(),
          "the card has " + others.size() + " guests, at most " + MAX_GUESTS,
          "Remove one.");
    }
    Set<String> names = new HashSet<>();
    names.add(wanted.name());
    long reserved = 0;
    for (GuestQuota other : others) {
      if (!names.add(other.name())) {
        return new Refused(
            "SLU-QUOTA-003", other.name(), "two guests of this name", "Choose another name.");
      }
      // Each was admitted, so that the sum is no more than the card's bytes.
      reserved += other.minimumBytes();
    }
    return checkValues(cardBytes, others.size(), reserved, wanted);
  }

  private static Admission checkValues(
      long cardBytes, int others, long reserved, GuestQuota wanted) {
    if (wanted.minimumBytes() < 0 || wanted.limitBytes() < 0 || wanted.heldBytes() < 0) {
      return invalid(
          wanted,
          "less than no memory, minimum="
              + wanted.minimumBytes()
              + " limit="
              + wanted.limitBytes()
              + " held="
              + wanted.heldBytes());
    }
    if (wanted.weight() < 1 || wanted.weight() > GuestQuota.MAX_WEIGHT) {
      return invalid(wanted, "no weight, weight=" + wanted.weight() + " range=1..1024");
    }
    if (wanted.minimumBytes() > wanted.limitBytes()) {
      return invalid(
          wanted,
          "the minimum is more than the limit, minimum="
              + wanted.minimumBytes()
              + " limit="
              + wanted.limitBytes());
    }
    long left = Math.max(0, cardBytes - reserved);
    if (wanted.minimumBytes() > left) {
      return new Refused(
          DOES_NOT_FIT,
          wanted.name(),
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
    return new Admitted();
  }

  private static Refused invalid(GuestQuota wanted, String cause) {
    return new Refused("SLU-QUOTA-001", wanted.name(), cause, "Correct the value.");
  }
}
