package io.sluice.testbed.checks;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The end of the time that a run has for tests of whole systems: those that would begin later are
 * skipped. A machine may be several times as slow as usual, and a run that is ended from outside
 * tells nothing.
 *
 * <p>Found by JUnit as {@link LeakCheck} is. The modules whose tests it may skip say so in their
 * {@code pom.xml}, by the property {@code sluice.tests.limit}.
 */
public final class TimeLimit implements ExecutionCondition {
  /** System property: the moment in seconds since 1970; empty for no limit. */
  static final String LIMIT = "sluice.tests.limit";

  private static final ConditionEvaluationResult IN_TIME =
      ConditionEvaluationResult.enabled("there is time");
  private static final ConditionEvaluationResult TOO_LATE =
      ConditionEvaluationResult.disabled(
          "SLUICE_TEST_MINUTES were over before this test began: run it alone, or without them");

  private final LongSupplier secondsSince1970;
  private final String until;

  /** As JUnit makes it. */
  public TimeLimit() {
    this(() -> System.currentTimeMillis() / 1000, System.getProperty(LIMIT, ""));
  }

  TimeLimit(LongSupplier secondsSince1970, String until) {
    this.secondsSince1970 = secondsSince1970;
    this.until = until;
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return evaluate();
  }

  ConditionEvaluationResult evaluate() {
    boolean late = !until.isEmpty() && secondsSince1970.getAsLong() >= Long.parseLong(until);
    return late ? TOO_LATE : IN_TIME;
  }
}
