package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The delay before a session host is started again. */
final class RestartDelayTest {
  private final RestartDelay delay = new RestartDelay();

  @Test
  void after_hostsThatDoNotLast_doublesUpToTheLongest() {
    Duration expected = RestartDelay.FIRST;
    for (int i = 0; i < 20; i++) {
      assertThat(delay.after(Duration.ZERO)).isEqualTo(expected);
      expected = expected.multipliedBy(2);
      expected = expected.compareTo(RestartDelay.LONGEST) > 0 ? RestartDelay.LONGEST : expected;
    }
    assertThat(expected).isEqualTo(RestartDelay.LONGEST);
  }

  @Test
  void after_oneThatLasted_beginsAnew() {
    assertThat(delay.after(Duration.ZERO)).isEqualTo(RestartDelay.FIRST);
    assertThat(delay.after(Duration.ZERO)).isGreaterThan(RestartDelay.FIRST);

    assertThat(delay.after(RestartDelay.LASTING)).isEqualTo(RestartDelay.FIRST);
  }
}
