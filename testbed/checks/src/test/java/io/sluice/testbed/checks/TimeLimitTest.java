package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tests are skipped for the time. */
final class TimeLimitTest {
  @Test
  void evaluate_limitThatIsNoNumber_failsTheTest() {
    assertThatThrownBy(() -> new TimeLimit(() -> 0, "soon").evaluate())
        .isInstanceOf(NumberFormatException.class);
  }

  @ParameterizedTest
  @CsvSource({"99, '', false", "99, 100, false", "100, 100, true", "9000000000, 100, true"})
  void evaluate_atAMoment_skipsWhatBeginsAtTheLimitOrLater(
      long now, String until, boolean skipped) {
    assertThat(new TimeLimit(() -> now, until).evaluate().isDisabled()).isEqualTo(skipped);
  }
}
