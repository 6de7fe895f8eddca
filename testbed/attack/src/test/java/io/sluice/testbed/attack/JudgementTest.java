package io.sluice.testbed.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.attack.Judgement.Trial;
import org.junit.jupiter.api.Test;

/** Verdicts on measurements; none is made here. */
final class JudgementTest {
  private static final long ENOUGH = Waits.FEWEST_SAMPLES;

  private final Judgement judgement = new Judgement();

  private static Waits waits(long us, long samples) {
    return new Waits(us * 1000, samples, us * 1000, 0, us * 1000, samples);
  }

  private static Trial trial(long quietUs, long attackedUs, long controlUs) {
    return new Trial(waits(quietUs, ENOUGH), waits(attackedUs, ENOUGH), waits(controlUs, ENOUGH));
  }

  @Test
  void first_withinTheGoal_isEnough() {
    judgement.add(trial(100, 120, 100));
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint()).isEmpty();
  }

  @Test
  void first_thatIsAnAccident_isOutvoted() {
    judgement.add(trial(100, 500, 100));
    assertThat(judgement.isOver()).isFalse();
    judgement.add(trial(100, 110, 100));
    assertThat(judgement.isOver()).isFalse();
    judgement.add(trial(100, 100, 100));
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint()).isEmpty();
  }

  @Test
  void median_aboveTheGoal_isAComplaint() {
    judgement.add(trial(100, 130, 100));
    judgement.add(trial(100, 110, 100));
    judgement.add(trial(100, 140, 100));
    assertThat(judgement.complaint()).hasValueSatisfying(why -> assertThat(why).contains("1.30"));
  }

  @Test
  void dear_asWorkOfOthersIs_isTheHosts() {
    judgement.add(trial(100, 300, 290));
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint()).isEmpty();
  }

  private static Waits losing(double part) {
    return new Waits(100_000, ENOUGH, 9_000_000, part, 0, 0);
  }

  @Test
  void fewLongWaits_thatTheP99DoesNotShow_areAComplaint() {
    for (int i = 0; i < Judgement.TRIALS; i++) {
      assertThat(judgement.isOver()).isFalse();
      judgement.add(new Trial(losing(0), losing(0.1), losing(0.01)));
    }
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint()).hasValueSatisfying(why -> assertThat(why).contains("9.0 %"));
  }

  @Test
  void fewLongWaits_asBesideWorkOfOthers_areTheHosts() {
    judgement.add(new Trial(losing(0), losing(0.1), losing(0.095)));
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint()).isEmpty();
  }

  @Test
  void worse_ofTheVictims_counts() {
    Waits attacked = new Waits(100_000, ENOUGH, 100_000, 0, 150_000, ENOUGH);
    assertThat(new Trial(waits(100, ENOUGH), attacked, waits(100, ENOUGH)).dearness())
        .isEqualTo(1.5);
  }

  @Test
  void samples_tooFew_areNoProof() {
    for (int i = 0; i < Judgement.TRIALS; i++) {
      assertThat(judgement.isOver()).isFalse();
      judgement.add(new Trial(waits(100, ENOUGH), waits(100, ENOUGH - 1), waits(100, ENOUGH)));
    }
    assertThat(judgement.isOver()).isTrue();
    assertThat(judgement.complaint())
        .hasValueSatisfying(why -> assertThat(why).contains("submissions"));
  }
}
