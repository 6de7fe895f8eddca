package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WayDelayTest {
  private final WayDelay delay = new WayDelay();

  @Test
  void look_nothingOnItsWay_saysNothing() {
    delay.look(1, 0, 0);
    delay.look(1000, 500, 0);
    assertThat(delay.shortestNs()).isZero();
  }

  @Test
  void look_notAllOfItHasArrived_saysNothing() {
    delay.look(1, 0, 100);
    delay.look(1000, 99, 50);
    assertThat(delay.shortestNs()).isZero();
  }

  @Test
  void look_waitsBehindOthersLater_keepsTheShortest() {
    delay.look(1000, 0, 100);
    delay.look(5000, 100, 900); // the next mark is byte 1000
    assertThat(delay.shortestNs()).isEqualTo(4000);
    delay.look(90_000, 1000, 10);
    assertThat(delay.shortestNs()).isEqualTo(4000);
    delay.look(91_000, 1010, 0);
    assertThat(delay.shortestNs()).isEqualTo(1000);
  }

  /** The clock of an engine begins anywhere. */
  @Test
  void look_clockOverflows_countsOn() {
    delay.look(Long.MAX_VALUE, 0, 1);
    delay.look(Long.MIN_VALUE + 9, 1, 0);
    assertThat(delay.shortestNs()).isEqualTo(10);
  }
}
