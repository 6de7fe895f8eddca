package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The charge of a slice, by the clock and the processor's time. */
class SliceTimeTest {
  private static final long MS = 1_000_000;

  private long processorNs;
  private int asked;
  private final SliceTime time =
      new SliceTime(() -> {
        asked++;
        return processorNs;
      });

  private void assertCharged(long chargedNs, long commandNs) {
    assertThat(time.chargedNs()).isEqualTo(chargedNs);
    assertThat(time.commandNs()).isEqualTo(commandNs);
  }

  @Test
  void ended_slowAndNothingKnown_littleIsBelieved() {
    time.ended(0, 1000 * MS);
    assertCharged(4 * MS, MS / 2);
    time.ended(2000 * MS, 2000 * MS + 2 * MS);
    assertCharged(0, 0); // the processor's time stood still
  }

  @Test
  void ended_slowInWhichTheHostStoodStill_isChargedWithTheProcessorsTime() {
    time.ended(0, MS);
    processorNs += MS / 10;
    time.ended(MS, 1001 * MS);
    assertCharged(MS / 10, MS / 10);
  }

  @Test
  void ended_slowAgainAndAgain_isChargedWithAllThatItTook() {
    time.ended(0, 50 * MS);
    processorNs += 49 * MS;
    time.ended(50 * MS, 100 * MS);
    assertCharged(49 * MS, 49 * MS);
  }

  /** Short slices between long ones hide nothing. */
  @Test
  void ended_slowAfterOthersWork_isChargedWithWhatWasNotTheirs() {
    time.ended(0, 50 * MS);
    time.ended(50 * MS, 50 * MS + 1000);
    processorNs += 60 * MS;
    time.ended(60 * MS, 110 * MS);
    assertCharged(50 * MS, 50 * MS);
  }

  @Test
  void ended_slowAfterARestOffTheProcessor_isChargedWithWhatIsSure() {
    time.ended(0, MS);
    processorNs += 50 * MS;
    time.ended(31 * MS, 81 * MS);
    assertCharged(20 * MS, 20 * MS);
  }

  @Test
  void ended_onAnotherThreadThanBefore_isChargedWithNothingBelowZero() {
    processorNs = 100 * MS;
    time.ended(0, MS);
    processorNs = MS;
    time.ended(MS, 3 * MS);
    assertCharged(0, 0);
  }

  @Test
  void ended_short_isChargedWithWhatHasPassedAndNobodyIsAsked() {
    time.ended(MS, MS + 400_000);
    assertCharged(400_000, 400_000);
    assertThat(asked).isZero();
  }
}
