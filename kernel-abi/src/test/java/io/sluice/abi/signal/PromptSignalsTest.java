package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The allowance of signals to a peer, by a clock of the test's. */
final class PromptSignalsTest {
  private final SlowSignals slow = new SlowSignals();
  private final PromptSignals all = new PromptSignals(slow.kernel(), () -> slow.nowNs);
  private final PromptSignals peer = all.child();

  @AfterEach
  void close() {
    slow.close();
  }

  @Test
  void signal_usual_isSentForEver() {
    slow.take(PromptSignals.USUAL);
    assertThat(slow.send(peer, 10_000)).isEqualTo(10_000);
  }

  @Test
  void signal_twice_forVeryLong_isTheLastForAWhile() {
    slow.take(Duration.ofSeconds(1));
    assertThat(slow.send(peer, 3)).as("the first has them measured").isEqualTo(2);
    slow.nowNs += PromptSignals.PENALTY.toNanos() - 1;
    assertThat(slow.send(peer, 1)).isZero();
    slow.nowNs++;
    assertThat(slow.send(peer, 2)).isEqualTo(1);
  }

  @Test
  void signal_aLittleTooLong_takesOfTheAllowance() {
    slow.take(Duration.ofMillis(1));
    assertThat(slow.send(peer, 1000)).isEqualTo(PromptSignals.MOST.toMillis() + 2);
  }

  @Test
  void signal_someTooLongByTheHostsNoise_areSentForEver() {
    for (int round = 0; round < 10_000; round++) {
      slow.take(Duration.ofNanos(100_000));
      assertThat(slow.send(peer, 1)).isEqualTo(1);
      slow.take(Duration.ofNanos(8_000));
      assertThat(slow.send(peer, 30)).isEqualTo(30);
    }
  }

  @Test
  void signal_allTwiceTheUsual_takeOfTheAllowance() {
    slow.take(PromptSignals.USUAL.multipliedBy(2));
    long most = PromptSignals.MOST.dividedBy(PromptSignals.USUAL);
    assertThat(slow.send(peer, 100_000)).isBetween(most, most + 10);
  }

  @Test
  void signal_longOnesAmongManyShort_takeOfTheAllowanceWhole() {
    long sent = 0;
    for (int round = 0; round < 100; round++) {
      slow.take(Duration.ofMillis(1));
      sent += slow.send(peer, 1);
      slow.take(Duration.ZERO);
      long _ = slow.send(peer, 1000);
    }
    assertThat(sent).isEqualTo(PromptSignals.MOST.toMillis() + 2);
  }

  @Test
  void allowance_comesBackWithTime() {
    slow.take(Duration.ofMillis(1));
    long most = PromptSignals.MOST.toMillis();
    assertThat(slow.send(peer, (int) most + 1)).isEqualTo(most + 1);
    slow.nowNs += Duration.ofSeconds(5).toNanos();
    assertThat(slow.send(peer, 1000)).isEqualTo(6);
  }

  @Test
  void child_afterOneWhoseSignalsTookLong_beginsWithNone() {
    PromptSignals beside = all.child();
    slow.take(Duration.ofSeconds(1));
    assertThat(slow.send(peer, 3)).isEqualTo(2);
    slow.take(PromptSignals.USUAL);
    PromptSignals next = all.child();
    assertThat(slow.send(next, 1)).isZero();
    assertThat(slow.send(beside, 10)).as("who was there before").isEqualTo(10);
    slow.nowNs += PromptSignals.PENALTY.toNanos();
    assertThat(slow.send(next, 10)).isEqualTo(10);
  }

  @Test
  void child_afterOneThatWasSuspected_isMeasuredFromTheFirst() {
    slow.take(Duration.ofSeconds(1));
    assertThat(slow.send(peer, 1)).isEqualTo(1);
    assertThat(slow.send(all.child(), 2)).isEqualTo(1);
  }

  @Test
  void signal_longWhileTheThreadIsKeptFromTheProcessor_isSentForEver() {
    slow.take(Duration.ofSeconds(1), PromptSignals.USUAL);
    assertThat(slow.send(peer, 10_000)).isEqualTo(10_000);
  }
}
