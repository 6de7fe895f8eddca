package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Waiting, when the time that is waited passes as the test wants it. */
final class PatienceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** An answer that comes after so many waits, each of which is over at once. */
  private static final class Late extends CompletableFuture<String> {
    private final int after;
    private int waits;
    private long waitedNs;

    Late(int after) {
      this.after = after;
    }

    @Override
    public String get(long time, TimeUnit unit) throws TimeoutException {
      waits++;
      waitedNs += unit.toNanos(time);
      if (waits > after) {
        return "here";
      }
      throw new TimeoutException();
    }
  }

  /** The process was stopped in its first wait, and has not heard the host since. */
  @Test
  void await_daemonStoodStill_waitsForWhatHasCome() {
    assertThat(Patience.await(new Late(1), PATIENCE)).isTrue();
  }

  @Test
  void await_neverAnswered_isOverWhenTheTimeIs() {
    Late never = new Late(Integer.MAX_VALUE);
    assertThat(Patience.await(never, PATIENCE)).isFalse();
    assertThat(never.waitedNs).isEqualTo(PATIENCE.toNanos());
  }

  @Test
  void await_failed_isOver() {
    assertThat(
            Patience.await(
                CompletableFuture.failedFuture(new IllegalStateException("x")), PATIENCE))
        .isTrue();
  }
}
