package io.sluice.testbed.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class FuzzerOutputTest {
  private final FuzzerOutput output = new FuzzerOutput();

  @Test
  void take_ofARunWithoutFindings_countsRunsAndNewCoverage() {
    """
    INFO: seed corpus: files: 9 min: 1b max: 134b total: 700b rss: 900Mb
    #10	INITED cov: 300 ft: 390 corp: 8/600b exec/s: 0 rss: 985Mb
    #54701	NEW    cov: 326 ft: 425 corp: 66/1306b lim: 352 exec/s: 5470 rss: 985Mb L: 22/134
    #133061	DONE   cov: 326 ft: 425 corp: 66/1295b lim: 1085 exec/s: 6336 rss: 986Mb
    Done 133061 runs in 21 second(s)
    """
        .lines()
        .forEach(output::take);

    assertThat(output.finding()).isNull();
    assertThat(output.newCoverage()).isEqualTo(26);
    assertThat(output.text("messages"))
        .isEqualTo(
            "messages            133,061 runs     6,336/s, coverage   326, new   26, findings 0");
  }

  @Test
  void take_ofAFinding_saysWhatAndWhere() {
    """
    == Java Exception: java.lang.IndexOutOfBoundsException: Index 5
    artifact_prefix='/x/'; Test unit written to /x/crash-da39a3
    Done 7 runs in 0 second(s)
    """
        .lines()
        .forEach(output::take);

    assertThat(output.finding())
        .isEqualTo("Java Exception: java.lang.IndexOutOfBoundsException: Index 5");
    assertThat(output.inputs()).containsExactly("/x/crash-da39a3");
    assertThat(output.runs()).isEqualTo(7);
  }

  @Test
  void take_ofAnInputThatDoesNotEnd_isAFinding() {
    output.take("==12== ERROR: libFuzzer: timeout after 61 seconds");

    assertThat(output.finding()).isEqualTo("timeout after 61 seconds");
    assertThat(output.text("ring")).endsWith("findings 1");
  }
}
