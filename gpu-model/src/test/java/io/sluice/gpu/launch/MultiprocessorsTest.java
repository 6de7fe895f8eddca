package io.sluice.gpu.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** From which share on interpreting is an error, and that it is said once. */
final class MultiprocessorsTest {
  @Test
  void interpreted_oneInAHundred_isAllowedAndNoMore() {
    assertThat(Multiprocessors.isTooMuch(100, 1)).isFalse();
    assertThat(Multiprocessors.isTooMuch(99, 1)).isTrue();
    assertThat(Multiprocessors.isTooMuch(0, 0)).isFalse();
  }

  @Test
  void interpreted_tooMuch_isAnErrorOnce() {
    assertThat(Multiprocessors.severity(true, 0)).isEqualTo(Level.ERROR);
    assertThat(Multiprocessors.severity(true, 1)).isEqualTo(Level.WARN);
    assertThat(Multiprocessors.severity(false, 0)).isEqualTo(Level.DEBUG);
  }
}
