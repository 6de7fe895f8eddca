package io.sluice.testbed.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FigureTest {
  @Test
  void line_goalMissed_saysShort() {
    assertThat(Figure.atMost("P2", "p50 ratio", 1.254, "", 1.0).line())
        .isEqualTo("P2: p50 ratio 1.254 (goal <= 1.000) short");
  }

  @Test
  void line_goalMet_saysMet() {
    assertThat(Figure.atLeast("P15", "copy against memory copy", 0.93, "", 0.8).line())
        .isEqualTo("P15: copy against memory copy 0.930 (goal >= 0.800) met");
  }

  @Test
  void line_noGoal_printsValueOnly() {
    assertThat(Figure.info("P2", "p50", 11287, "ns").line()).isEqualTo("P2: p50 11287 ns");
  }
}
