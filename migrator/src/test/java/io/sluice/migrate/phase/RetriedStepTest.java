package io.sluice.migrate.phase;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import org.junit.jupiter.api.Test;

/** A step that fails for a while, for good, or for want of a guest. */
final class RetriedStepTest {
  private int tried;
  private int fails;
  private final RetriedStep step =
      new RetriedStep(
          "a step",
          () -> {
            tried++;
            if (fails > 0) {
              fails--;
              throw new OutOfMemoryError("by the test");
            }
          });

  @Test
  void poll_done_isNotDoneAgain() {
    assertThat(step.poll(0)).isTrue();
    assertThat(step.poll(1)).isTrue();
    assertThat(tried).isEqualTo(1);
    assertThat(step.failure()).isEmpty();
  }

  @Test
  void poll_fails_isTriedAgainAfterAPause() {
    fails = 1;
    assertThat(step.poll(0)).isFalse();
    assertThat(step.poll(RetriedStep.PAUSE_NS - 1)).isFalse();
    assertThat(tried).isEqualTo(1);
    assertThat(step.poll(RetriedStep.PAUSE_NS)).isTrue();
    assertThat(tried).isEqualTo(2);
    assertThat(step.failure()).isEmpty();
  }

  @Test
  void poll_failsForGood_endsAndSaysWhy() {
    fails = Integer.MAX_VALUE;
    long nowNs = 0;
    while (!step.poll(nowNs)) {
      assertThat(step.failure()).isEmpty();
      nowNs += RetriedStep.PAUSE_NS;
    }
    assertThat(tried).isEqualTo(RetriedStep.ATTEMPTS);
    assertThat(step.poll(nowNs + RetriedStep.PAUSE_NS)).isTrue();
    assertThat(tried).isEqualTo(RetriedStep.ATTEMPTS);
    assertThat(step.failure().orElseThrow()).hasMessage("by the test");
  }

  @Test
  void poll_guestHasLeft_isNotTriedAgain() {
    RetriedStep gone =
        new RetriedStep(
            "a step",
            () -> {
              tried++;
              throw new RefusedException("SLU-TEST-001", Errno.ENODEV, "it has left", "");
            });
    assertThat(gone.poll(0)).isTrue();
    assertThat(gone.poll(RetriedStep.PAUSE_NS)).isTrue();
    assertThat(tried).isEqualTo(1);
    assertThat(gone.failure()).isEmpty();
  }
}
