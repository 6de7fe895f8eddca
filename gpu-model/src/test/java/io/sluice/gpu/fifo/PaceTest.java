package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long SPIN_NS = 100_000;
  private static final long SECOND_NS = 1_000_000_000L;

  /** The wait that is chosen after so much idle time. */
  private static long waitAfter(long idleNs) {
    Pace pace = new Pace();
    pace.touched(0);
    pace.foundIdle(idleNs, SPIN_NS);
    return pace.dueInNs(idleNs);
  }

  @Test
  void foundIdle_justActive_isDueAtOnce() {
    assertThat(waitAfter(0)).isZero();
    assertThat(waitAfter(SPIN_NS - 1)).isZero();
  }

  @Test
  void foundIdle_afterTheSpin_waitsShortly() {
    assertThat(waitAfter(SPIN_NS)).isBetween(1L, 65_536L);
    assertThat(waitAfter(SECOND_NS / 10)).isBetween(1L, 65_536L);
  }

  @Test
  void foundIdle_forASecond_waitsLessThanHalfAMillisecond() {
    for (long t = SECOND_NS; t < SECOND_NS + 1_000_000; t += 7_919) {
      assertThat(waitAfter(t)).isBetween(1L, 500_000L);
    }
  }

  @Test
  void foundIdle_forLong_waitsThreeMillisecondsAtMost() {
    for (long t = 10 * SECOND_NS; t < 10 * SECOND_NS + 10_000_000; t += 79_190) {
      assertThat(waitAfter(t)).isBetween(1L, 3_145_728L);
    }
  }

  @Test
  void foundIdle_manyChannelsAtAnyTimes_shareTheirWakeUps() {
    Pace one = new Pace();
    Pace two = new Pace();
    one.touched(0);
    two.touched(123_456_789);
    long now = 20 * SECOND_NS;
    one.foundIdle(now, SPIN_NS);
    two.foundIdle(now + 1_000, SPIN_NS);
    assertThat(now + one.dueInNs(now)).isEqualTo(now + 1_000 + two.dueInNs(now + 1_000));
  }

  @Test
  void isAtRest_onlyAtTheLongestWait_andUntilTouched() {
    Pace pace = new Pace();
    pace.touched(0);
    pace.foundIdle(SECOND_NS, SPIN_NS);
    assertThat(pace.isAtRest()).isFalse();
    pace.foundIdle(10 * SECOND_NS, SPIN_NS);
    assertThat(pace.isAtRest()).isTrue();
    assertThat(pace.dueInNs(10 * SECOND_NS))
        .isEqualTo(Pace.nextLookAtRest(10 * SECOND_NS) - 10 * SECOND_NS);
    pace.lookAgain(10 * SECOND_NS);
    assertThat(pace.isAtRest()).isFalse();
    pace.foundIdle(11 * SECOND_NS, SPIN_NS);
    pace.touched(11 * SECOND_NS);
    assertThat(pace.isAtRest()).isFalse();
  }

  @Test
  void dueInNs_clockThatWrapsOrIsNegative_goesOn() {
    Pace pace = new Pace();
    long start = Long.MAX_VALUE - 50;
    pace.touched(start);
    assertThat(pace.dueInNs(start + 100)).isLessThanOrEqualTo(0);
    pace.touched(-5 * SECOND_NS);
    pace.foundIdle(-4 * SECOND_NS, SPIN_NS);
    assertThat(pace.dueInNs(-4 * SECOND_NS)).isBetween(1L, 500_000L);
  }

  @Test
  void turnUnits_followTheWeight() {
    Pace pace = new Pace();
    long normal = pace.turnUnits();
    pace.setWeight(1);
    assertThat(pace.turnUnits()).isEqualTo(normal / Pace.DEFAULT_WEIGHT).isPositive();
    pace.setWeight(Pace.MAX_WEIGHT);
    assertThat(pace.turnUnits()).isEqualTo(normal * 16);
  }
}
