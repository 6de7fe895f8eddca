package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LinkRateTest {
  private static final long T = 3_000_000_000L;
  private static final long TENTH_NS = 100_000_000;

  private final LinkRate rate = new LinkRate(0);

  @Test
  void update_once_isUnknown() {
    rate.update(T, 5_000_000);
    assertThat(rate.bytesPerSecond()).isZero();
    assertThat(rate.durationNs(1 << 20)).isZero();
  }

  @Test
  void update_busyForATenth_isWhatWent() {
    rate.update(T, 0);
    rate.update(T + TENTH_NS, 10_000_000);
    assertThat(rate.bytesPerSecond()).isEqualTo(1e8);
    assertThat(rate.bestBytesPerSecond()).isEqualTo(100_000_000);
  }

  /** What is carried may be told by another count from some moment on, which is behind. */
  @Test
  void update_countIsLessThanBefore_keepsWhatIsKnown() {
    rate.update(T, 0);
    rate.update(T + TENTH_NS, 10_000_000);
    rate.update(T + 2 * TENTH_NS, 4_000_000);
    assertThat(rate.bytesPerSecond()).isEqualTo(1e8);
    rate.update(T + 3 * TENTH_NS, 14_000_000);
    assertThat(rate.bytesPerSecond()).isEqualTo(1e8);
  }

  @Test
  void isShort_rateUnknown_isWhatWaitsElsewhere() {
    assertThat(rate.isShort(Long.MAX_VALUE, 10_000_000)).isTrue();
    assertThat(rate.isShort(0, 10_000_001)).isFalse();
  }

  @Test
  void isShort_tenMillisecondsOfBoth_isTheMost() {
    carry(5, 10_000_000);
    assertThat(rate.isShort(1_000_000, 0)).isTrue();
    assertThat(rate.isShort(600_000, 4_000_000)).isTrue();
    assertThat(rate.isShort(600_000, 4_000_001)).isFalse();
  }

  /** Of a link that had nothing to carry for a while it is not believed that it is slow. */
  @Test
  void isShort_littleWasSentSince_goesByWhatTheLinkCarries() {
    carry(5, 10_000_000);
    for (int i = 5; i < 20; i++) {
      rate.update(T + i * TENTH_NS, 50_000_000 + i);
    }
    assertThat(rate.bytesPerSecond()).isLessThan(1_000_000);
    assertThat(rate.isShort(1_000_000, 0)).isTrue();
  }

  private void carry(int tenths, long bytes) {
    for (int i = 0; i < tenths; i++) {
      rate.update(T + i * TENTH_NS, (i + 1) * bytes);
    }
  }
}
