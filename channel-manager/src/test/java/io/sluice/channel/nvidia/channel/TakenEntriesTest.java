package io.sluice.channel.nvidia.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TakenEntriesTest {
  private static final int RING = 8;

  private final TakenEntries taken = new TakenEntries();

  @Test
  void count_pastTheRingsEnd_countsOn() {
    taken.count(5, RING);
    taken.count(2, RING);
    assertThat(taken.entries()).isEqualTo(10);
  }

  @Test
  void entries_takenSinceTheLastCount_areToldAndNotCounted() {
    taken.count(5, RING);
    assertThat(taken.entries(7, RING)).isEqualTo(7);
    assertThat(taken.entries(7, RING)).isEqualTo(7);
    assertThat(taken.entries()).isEqualTo(5);
    taken.count(2, RING);
    assertThat(taken.entries()).isEqualTo(10);
  }
}
