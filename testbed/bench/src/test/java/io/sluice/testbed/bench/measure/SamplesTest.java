package io.sluice.testbed.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SamplesTest {
  @Test
  void percentile_noSamples_throws() {
    assertThatThrownBy(() -> new Samples().p50()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void percentile_hundredSamples_isTheirs() {
    Samples samples = new Samples();
    for (int i = 100; i >= 1; i--) {
      samples.add(i);
    }
    assertThat(samples.p50()).isEqualTo(50);
    assertThat(samples.p99()).isEqualTo(99);
    assertThat(samples.percentile(1)).isEqualTo(100);
  }
}
