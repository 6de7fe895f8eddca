package io.sluice.quota;

/** The answer of a {@link QuotaTable} to a quota. A refusal changes nothing. */
public sealed interface Admission {
  /** The reasons of a refusal. */
  enum RefusalReason {
    /** A minimum does not fit beside those of the others. */
    DOES_NOT_FIT,
    /** A guest too many. */
    TOO_MANY
  }

  /** The quota fits. */
  record Admitted() implements Admission {}

  /**
   * The quota does not fit.
   *
   * @param rule that refuses it
   * @param cause the reason, with the numbers in bytes
   * @param fix what to do
   * @param leftBytes where a minimum does not fit the largest that does, otherwise 0
   */
  record Refused(RefusalReason rule, String cause, String fix, long leftBytes)
      implements Admission {}
}
