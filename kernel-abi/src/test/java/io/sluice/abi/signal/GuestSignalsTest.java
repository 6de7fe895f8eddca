package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The allowances of guests, by a clock of the test's. */
final class GuestSignalsTest {
  private static final int MANY = 60;

  private final SlowSignals slow = new SlowSignals();
  private final GuestSignals signals = new GuestSignals(slow.kernel(), () -> slow.nowNs);

  @AfterEach
  void close() {
    slow.close();
  }

  /** Takes up all that the guest may. */
  private void exhaust(String guest) {
    slow.take(Duration.ofSeconds(1));
    assertThat(slow.send(signals.peerOf(guest), MANY)).isLessThan(MANY);
    slow.take(Duration.ZERO);
  }

  private boolean isSent(String guest) {
    return slow.send(signals.peerOf(guest), 1) == 1;
  }

  @Test
  void peerOf_guestThatWasSlow_isDeniedAndNobodyElseIs() {
    PromptSignals before = signals.peerOf("other");
    exhaust("slow");
    assertThat(isSent("slow")).isFalse();
    assertThat(isSent("other")).isTrue();
    assertThat(isSent("newcomer")).isTrue();
    assertThat(slow.send(before, 1)).isEqualTo(1);
    slow.nowNs += PromptSignals.PENALTY.toNanos();
    assertThat(isSent("slow")).isTrue();
  }

  @Test
  void peerOf_moreGuestsThanAreKept_theOneWithoutNewPeersForLongestIsForgotten() {
    exhaust("first");
    exhaust("second");
    for (int i = 2; i < GuestSignals.MOST_GUESTS; i++) {
      assertThat(isSent("guest-" + i)).isTrue();
    }
    assertThat(isSent("first")).as("all are kept").isFalse();
    assertThat(isSent("one more")).isTrue();
    assertThat(isSent("first")).as("had a peer since").isFalse();
    assertThat(isSent("second")).as("forgotten").isTrue();
  }
}
