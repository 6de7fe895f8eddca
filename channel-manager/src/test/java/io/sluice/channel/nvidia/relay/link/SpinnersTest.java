package io.sluice.channel.nvidia.relay.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SpinnersTest {
  @Test
  void tryEnter_manyAtOnce_aQuarterOfTheProcessorsMay() {
    int processors = Runtime.getRuntime().availableProcessors();
    int entered = 0;
    for (int i = 0; i <= processors; i++) {
      if (Spinners.tryEnter()) {
        entered++;
      }
    }
    assertThat(entered).isEqualTo(Math.max(1, processors / 4));
    Spinners.leave();
    assertThat(Spinners.tryEnter()).as("in the place of who has left").isTrue();
    assertThat(Spinners.tryEnter()).isFalse();
    for (int i = 0; i < entered; i++) {
      Spinners.leave();
    }
  }
}
