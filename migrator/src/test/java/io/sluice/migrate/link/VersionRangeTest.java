package io.sluice.migrate.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which version two sides agree on, for versions that are there and those to come. */
final class VersionRangeTest {
  private static final int MOST = 6;

  @Test
  void new_whatIsNoRange_isRefused() {
    int[][] wrong = {{0, 0}, {0, 1}, {-1, 1}, {2, 1}, {1, 0}, {1, -1}};
    for (int[] one : wrong) {
      assertThat(VersionRange.isRange(one[0], one[1])).isFalse();
      assertThatThrownBy(() -> new VersionRange(one[0], one[1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** N speaks with N and N-1, and with nobody further away. */
  @Test
  void agreed_everyPairOfReleases_neighboursOnTheOlder() {
    for (int n = 1; n <= MOST; n++) {
      for (int m = 1; m <= MOST; m++) {
        OptionalInt agreed = VersionRange.of(n).agreed(VersionRange.of(m));
        if (Math.abs(n - m) <= 1) {
          assertThat(agreed).hasValue(Math.min(n, m));
        } else {
          assertThat(agreed).isEmpty();
        }
      }
    }
  }

  @Test
  void agreed_everyPairOfRanges_isTheNewestOfBoth() {
    for (int a = 1; a <= MOST; a++) {
      for (int b = a; b <= MOST; b++) {
        for (int c = 1; c <= MOST; c++) {
          for (int d = c; d <= MOST; d++) {
            int oldest = a;
            int newest = b;
            OptionalInt expected =
                IntStream.rangeClosed(c, d).filter(v -> v >= oldest && v <= newest).max();
            assertThat(new VersionRange(a, b).agreed(new VersionRange(c, d))).isEqualTo(expected);
          }
        }
      }
    }
  }
}
