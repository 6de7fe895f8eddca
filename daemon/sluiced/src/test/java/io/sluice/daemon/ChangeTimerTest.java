package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ChangeTimerTest {
  private long nowNs = 5_000_000;
  private final ChangeTimer timer = new ChangeTimer(() -> nowNs);

  private void ask() {
    timer.asked(timer.now());
  }

  @Test
  void heldUs_nobodyAsked_isEmpty() {
    assertThat(timer.heldUs()).isEmpty();
    timer.begin();
    timer.held();
    assertThat(timer.heldUs()).isEmpty();
  }

  @Test
  void heldUs_severalAsked_isOfTheFirst() {
    ask();
    nowNs += 1_000_000;
    ask();
    nowNs += 1_000_000;
    timer.begin();
    nowNs += 500_000;
    timer.held();
    nowNs += 700_000; // channels go on
    assertThat(timer.heldUs()).hasValue(2500);
  }

  @Test
  void heldUs_rebalanceThatFails_isEmpty() {
    ask();
    timer.begin();
    assertThat(timer.heldUs()).isEmpty();
  }

  /** It is no part of what is under way. */
  @Test
  void heldUs_askedMeanwhile_isOfTheNext() {
    ask();
    timer.begin();
    nowNs += 100_000;
    ask();
    timer.held();
    assertThat(timer.heldUs()).hasValue(100);
    timer.begin();
    nowNs += 300_000;
    timer.held();
    assertThat(timer.heldUs()).hasValue(300);
  }
}
