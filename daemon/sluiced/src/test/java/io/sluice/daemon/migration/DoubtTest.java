package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When it is told that nobody knows whose a guest is. */
final class DoubtTest {
  private static final long PATIENCE = 500;

  private final Doubt doubt = new Doubt(PATIENCE, 0);

  @Test
  void look_nobodyDoubts_nothingIsTold() {
    assertThat(doubt.look(false, 0)).isFalse();
    assertThat(doubt.look(false, 10 * PATIENCE)).isFalse();
  }

  @Test
  void look_theLastWordIsReadJustAfterTheLinkEnded_nothingIsTold() {
    assertThat(doubt.look(false, 1000)).isFalse();
    assertThat(doubt.look(true, 1001)).isFalse();
    assertThat(doubt.look(true, 1000 + PATIENCE)).isFalse();
    assertThat(doubt.look(false, 1001 + PATIENCE)).isFalse();
  }

  @Test
  void look_theDestinationAnswersLateAndIsLostAgain_theTimeBeginsAnew() {
    assertThat(doubt.look(false, 1000)).isFalse();
    assertThat(doubt.look(true, 1000 + PATIENCE)).isFalse();
    assertThat(doubt.look(false, 1001 + PATIENCE)).isFalse();
    assertThat(doubt.look(true, 1002 + PATIENCE)).isFalse();
    assertThat(doubt.look(true, 1001 + 2 * PATIENCE)).isFalse();
    assertThat(doubt.look(true, 1002 + 2 * PATIENCE)).isTrue();
  }

  @Test
  void look_itLasts_isToldOnce() {
    assertThat(doubt.look(true, PATIENCE)).isFalse();
    assertThat(doubt.look(true, PATIENCE + 1)).isTrue();
    assertThat(doubt.look(true, PATIENCE + 2)).isFalse();
    assertThat(doubt.look(false, PATIENCE + 3)).isFalse();
    assertThat(doubt.look(true, 3 * PATIENCE)).isFalse();
  }
}
