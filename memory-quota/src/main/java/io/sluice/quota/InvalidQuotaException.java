package io.sluice.quota;

/** The refusal of values that make no quota. */
public final class InvalidQuotaException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** The rules that a quota keeps. */
  public enum Rule {
    /** The minimum is 0 or more. */
    MINIMUM,
    /** The limit is 0 or more. */
    LIMIT,
    /** The weight is 1 to {@link Quota#MAX_WEIGHT}. */
    WEIGHT,
    /** The kill-timeout is {@link Quota#MIN_KILL_TIMEOUT} to {@link Quota#MAX_KILL_TIMEOUT}. */
    KILL_TIMEOUT,
    /** The minimum is no more than the limit. */
    MINIMUM_WITHIN_LIMIT
  }

  private final Rule rule;

  InvalidQuotaException(Rule rule, Object value) {
    super("no quota, rule=" + rule + " value=" + value);
    this.rule = rule;
  }

  /** The rule that the values break. */
  public Rule rule() {
    return rule;
  }
}
