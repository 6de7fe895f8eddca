package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The delay before a condition is reported. */
final class DebounceTest {
  private static final long PATIENCE = 500;

  private final Debounce debounce = new Debounce(PATIENCE, 0);

  @Test
  void poll_nobodyDoubts_nothingIsTold() {
    assertThat(debounce.poll(false, 0)).isFalse();
    assertThat(debounce.poll(false, 10 * PATIENCE)).isFalse();
  }

  @Test
  void poll_theLastWordIsReadJustAfterTheLinkEnded_nothingIsTold() {
    assertThat(debounce.poll(false, 1000)).isFalse();
    assertThat(debounce.poll(true, 1001)).isFalse();
    assertThat(debounce.poll(true, 1000 + PATIENCE)).isFalse();
    assertThat(debounce.poll(false, 1001 + PATIENCE)).isFalse();
  }

  @Test
  void poll_theDestinationAnswersLateAndIsLostAgain_theTimeBeginsAnew() {
    assertThat(debounce.poll(false, 1000)).isFalse();
    assertThat(debounce.poll(true, 1000 + PATIENCE)).isFalse();
    assertThat(debounce.poll(false, 1001 + PATIENCE)).isFalse();
    assertThat(debounce.poll(true, 1002 + PATIENCE)).isFalse();
    assertThat(debounce.poll(true, 1001 + 2 * PATIENCE)).isFalse();
    assertThat(debounce.poll(true, 1002 + 2 * PATIENCE)).isTrue();
  }

  @Test
  void poll_itLasts_isToldOnce() {
    assertThat(debounce.poll(true, PATIENCE)).isFalse();
    assertThat(debounce.poll(true, PATIENCE + 1)).isTrue();
    assertThat(debounce.poll(true, PATIENCE + 2)).isFalse();
    assertThat(debounce.poll(false, PATIENCE + 3)).isFalse();
    assertThat(debounce.poll(true, 3 * PATIENCE)).isFalse();
  }
}
