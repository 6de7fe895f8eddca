package io.sluice.testbed.fakes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class SeedsTest {
  @Test
  void choose_replayedSeed_isTaken() {
    assertThat(Seeds.choose("-12")).isEqualTo(-12);
    assertThat(Seeds.choose(" 0x10 ")).isEqualTo(16);
  }

  @Test
  void choose_none_differsEachTime() {
    assertThat(Seeds.choose("")).isNotEqualTo(Seeds.choose(""));
  }

  @Test
  void generator_sameSeed_yieldsTheSame() {
    assertThat(Seeds.generator(5).nextLong()).isEqualTo(Seeds.generator(5).nextLong());
  }

  @Test
  void replay_failure_namesTheProperty() {
    assertThat(Seeds.replay("a test", 9)).contains("-Dsluice.seed=9");
  }

  @Test
  void parameter_ofATest_isAGenerator(RandomGenerator random) {
    assertThat(random.nextInt(10)).isBetween(0, 9);
  }
}
