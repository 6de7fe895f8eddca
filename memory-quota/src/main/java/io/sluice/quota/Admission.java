package io.sluice.quota;

/** The answer of a {@link QuotaTable} to a quota. A refusal changes nothing. */
public sealed interface Admission {
  /** Code of a minimum that does not fit beside the others. */
  String DOES_NOT_FIT = "SLU-QUOTA-002";

  /** Code of a guest too many. */
  String TOO_MANY = "SLU-QUOTA-004";

  /** The quota fits. */
  record Admitted() implements Admission {}

  /**
   * The quota does not fit.
   *
   * @param code {@link #DOES_NOT_FIT} or {@link #TOO_MANY}
   * @param cause the reason, with the numbers in bytes
   * @param fix what to do
   * @param leftBytes where a minimum does not fit the largest that does, otherwise 0
   */
  record Refused(String code, String cause, String fix, long leftBytes) implements Admission {}
}
