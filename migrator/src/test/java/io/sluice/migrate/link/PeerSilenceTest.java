package io.sluice.migrate.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PeerSilenceTest {
  private static final long T = 7_000_000_000L;
  private static final long MS = 1_000_000;
  private final PeerSilence silence = new PeerSilence(T);

  @Test
  void look_peerThatSaysNothing_countsTheTime() {
    long now = T;
    for (int i = 0; i < 1000; i++) {
      now += 2 * MS;
      long _ = silence.look(now);
    }
    assertThat(silence.look(now)).isEqualTo(2000 * MS);
  }

  @Test
  void look_thisSideStoodStill_countsOneLook() {
    assertThat(silence.look(T + 600_000 * MS)).isEqualTo(PeerSilence.MOST_OF_A_LOOK_NS);
  }

  @Test
  void look_afterAWord_beginsAnew() {
    long _ = silence.look(T + 100 * MS);
    silence.heard();
    assertThat(silence.look(T + 101 * MS)).isEqualTo(MS);
  }
}
