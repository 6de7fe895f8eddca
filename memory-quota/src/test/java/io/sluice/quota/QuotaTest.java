package io.sluice.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.quota.InvalidQuotaException.Rule;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QuotaTest {
  @ParameterizedTest
  @CsvSource({
    "-1, 1, 10, 1000, MINIMUM",
    "0, 0, 10, 1000, WEIGHT",
    "0, -5, 10, 1000, WEIGHT",
    "0, 1025, 10, 1000, WEIGHT",
    "0, 1, -1, 1000, LIMIT",
    "5, 1, 4, 1000, MINIMUM_WITHIN_LIMIT",
    "-9223372036854775808, 1, 10, 1000, MINIMUM",
    "0, 1, 10, 9, KILL_TIMEOUT",
    "0, 1, 10, -1, KILL_TIMEOUT",
    "0, 1, 10, 3600001, KILL_TIMEOUT",
  })
  void quota_valueOutOfRange_refuses(
      long minimum, int weight, long limit, long killTimeoutMs, Rule broken) {
    assertThatThrownBy(() ->
            new Quota(
                minimum,
                weight,
                limit,
                BeyondShare.OUT_OF_MEMORY,
                Duration.ofMillis(killTimeoutMs)))
        .isInstanceOfSatisfying(
            InvalidQuotaException.class, refused -> assertThat(refused.rule()).isEqualTo(broken));
  }

  @Test
  void quota_outermostValues_areAllowed() {
    Quota least = new Quota(0, 1, 0, BeyondShare.OUT_OF_MEMORY, Quota.MIN_KILL_TIMEOUT);
    Quota most =
        new Quota(
            Quota.NO_LIMIT,
            Quota.MAX_WEIGHT,
            Quota.NO_LIMIT,
            BeyondShare.SYSTEM_MEMORY,
            Quota.MAX_KILL_TIMEOUT);
    assertThat(least.hasLimit()).isTrue();
    assertThat(most.hasLimit()).isFalse();
    assertThat(most.limitOn(64)).isEqualTo(64);
  }

  @ParameterizedTest
  @CsvSource({"-2147483648, false", "0, false", "1, true", "1024, true", "1025, false"})
  void isWeight_valuesAtTheBounds_areToldApart(int weight, boolean is) {
    assertThat(Quota.isWeight(weight)).isEqualTo(is);
  }

  @Test
  void of_eachText_isItsPolicy() {
    for (BeyondShare each : BeyondShare.values()) {
      assertThat(BeyondShare.of(each.text())).contains(each);
    }
    assertThat(BeyondShare.of("swap")).isEmpty();
  }
}
