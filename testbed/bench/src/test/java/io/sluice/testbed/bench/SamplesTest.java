package io.sluice.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SamplesTest {
  @Test
  void percentile_noSamples_throws() {
    assertThatThrownBy(() -> new Samples(1).p50()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void percentile_hundredSamples_isExact() {
    Samples samples = new Samples(100);
    for (int i = 100; i >= 1; i--) {
      samples.add(i);
    }
    assertThat(samples.p50()).isEqualTo(50);
    assertThat(samples.p99()).isEqualTo(99);
    assertThat(samples.percentile(1)).isEqualTo(100);
  }
}
