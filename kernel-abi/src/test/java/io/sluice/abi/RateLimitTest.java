package io.sluice.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RateLimitTest {
  private final AtomicLong clock = new AtomicLong();

  private static int take(RateLimit limit, int most) {
    int taken = 0;
    while (taken < most && limit.tryTake()) {
      taken++;
    }
    return taken;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 5, Long.MIN_VALUE})
  void tryTake_atOnce_asManyAsTheBurst(long start) {
    clock.set(start);
    RateLimit limit = new RateLimit(3, Duration.ofNanos(10), clock::get);
    assertThat(limit.untilNextNs()).isZero();
    assertThat(take(limit, 10)).isEqualTo(3);
    assertThat(limit.untilNextNs()).isEqualTo(10);
    clock.addAndGet(9);
    assertThat(limit.tryTake()).isFalse();
    assertThat(limit.untilNextNs()).isEqualTo(1);
    clock.addAndGet(1);
    assertThat(take(limit, 10)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 5, Long.MIN_VALUE})
  void room_atAnyMoment_isWhatCanBeTaken(long start) {
    clock.set(start);
    RateLimit limit = new RateLimit(4, Duration.ofNanos(10), clock::get);
    assertThat(limit.room()).isEqualTo(new RateLimit.Allowance(4, 4, Duration.ofNanos(10)));
    assertThat(take(limit, 3)).isEqualTo(3);
    assertThat(limit.room().left()).isEqualTo(1);
    assertThat(take(limit, 3)).isEqualTo(1);
    assertThat(limit.room().left()).isZero();
    clock.addAndGet(15);
    assertThat(limit.room().left()).isEqualTo(take(limit, 10)).isEqualTo(1);
    clock.addAndGet(1000);
    assertThat(limit.room().left()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 1000})
  void tryTake_inTheLongRun_oneEachInterval(long pauses) {
    RateLimit limit = new RateLimit(5, Duration.ofNanos(100), clock::get);
    int taken = take(limit, 100);
    for (long i = 0; i < pauses; i++) {
      clock.addAndGet(50);
      taken += take(limit, 100);
    }
    assertThat(taken).isEqualTo((int) (5 + pauses * 50 / 100));
  }
}
