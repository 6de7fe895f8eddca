package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.ThreadUse;
import io.sluice.gpu.engine.PageWaits;
import io.sluice.gpu.engine.ThreadMeter;
import io.sluice.gpu.engine.TimeShare;
import org.junit.jupiter.api.Test;

/** The charge of a slice, by the clock and the processor's time. */
class SliceTimeTest {
  private static final long MS = 1_000_000;

  private long processorNs;
  private int asked;
  private ThreadUse use = new ThreadUse(5, 7, 3);
  private final SliceTime time =
      new SliceTime(
          new ThreadMeter(
              () -> {
                asked++;
                return processorNs;
              },
              () -> use));

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

  private final PageWaits waits = new TimeShare().pageWaits();

  private void slice(boolean watched, long tookNs, int faults, int sleeps, int preemptions) {
    time.begins(watched);
    use =
        new ThreadUse(
            use.pageFaults() + faults, use.sleeps() + sleeps, use.preemptions() + preemptions);
    time.ended(0, tookNs);
    time.tell(waits, tookNs);
  }

  @Test
  void tell_shortSlices_makeNothingKnown() {
    slice(true, MS / 2, 1, 1, 0);
    assertThat(waits.isWatched(MS / 2)).isFalse();
    assertThat(waits.isApart(MS / 2)).isFalse();
  }

  @Test
  void tell_aLongOne_hasTheNextOnesWatchedForAWhile() {
    slice(false, MS, 1, 1, 0);
    assertThat(waits.isWatched(MS)).isTrue();
    assertThat(waits.isApart(MS)).isFalse();
    assertThat(waits.isWatched(2000 * MS)).isFalse();
  }

  /** Who waits for a processor may have slept as well; how long is not known. */
  @Test
  void tell_aLongOneThatWasPreempted_isInDoubt() {
    slice(true, MS, 1, 1, 1);
    assertThat(waits.isApart(MS)).isFalse();
  }

  /** Pages that are made take no sleep; a collector, or a lock, no page. */
  @Test
  void tell_faultsWithoutSleepOrSleepWithoutFault_isNoWaitForAPage() {
    slice(true, MS, 1, 0, 0);
    slice(true, MS, 0, 1, 0);
    slice(false, MS, 1, 1, 0);
    assertThat(waits.isApart(MS)).isFalse();
  }

  @Test
  void tell_severalLongOnesThatSleptForPages_haveTheirOpenServedApart() {
    for (int i = 0; i < 3; i++) {
      slice(true, MS, 1, 1, 0);
      assertThat(waits.isApart(MS)).isFalse();
    }
    slice(true, MS, 1, 1, 0);
    assertThat(waits.isApart(MS)).isTrue();
    assertThat(waits.isApart(60_000 * MS)).isFalse();
  }

  @Test
  void tell_severalThatLieFarApart_areAccidents() {
    for (int i = 0; i < 10; i++) {
      time.begins(true);
      use = new ThreadUse(use.pageFaults() + 1, use.sleeps() + 1, 0);
      long endedNs = 5000L * i * MS;
      time.ended(endedNs - MS, endedNs);
      time.tell(waits, endedNs);
      assertThat(waits.isApart(endedNs)).isFalse();
    }
  }
}
