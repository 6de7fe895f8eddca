package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The allowances of guests, by a clock of the test's. */
final class GuestSignalsTest {
  private final Kernel kernel = RealKernel.create();
  private final Fd eventfd = kernel.eventfd(0, Kernel.NONBLOCK);
  private long nowNs;
  private long tookNs;
  private final GuestSignals signals = new GuestSignals(slow(), () -> nowNs);

  @AfterEach
  void close() {
    eventfd.close();
  }

  /** The kernel, in which a signal takes time of the clock and of the processor. */
  private Kernel slow() {
    return (Kernel)
        Proxy.newProxyInstance(
            Kernel.class.getClassLoader(),
            new Class<?>[] {Kernel.class},
            (_, method, _) -> {
              if (method.getName().equals("signalForeign")) {
                nowNs += tookNs;
              }
              return method.getName().equals("processorTimeNs") ? nowNs : null;
            });
  }

  /** Takes up all that the guest may. */
  private void exhaust(String guest) {
    tookNs = Duration.ofSeconds(1).toNanos();
    PromptSignals peer = signals.peerOf(guest);
    while (peer.signal(eventfd)) {
      assertThat(nowNs).isLessThan(Duration.ofMinutes(1).toNanos());
    }
    tookNs = 0;
  }

  @Test
  void peerOf_guestThatWasSlow_isDeniedAndNobodyElseIs() {
    PromptSignals before = signals.peerOf("other");
    exhaust("slow");
    assertThat(signals.peerOf("slow").signal(eventfd)).isFalse();
    assertThat(signals.peerOf("other").signal(eventfd)).isTrue();
    assertThat(signals.peerOf("newcomer").signal(eventfd)).isTrue();
    assertThat(before.signal(eventfd)).isTrue();
    nowNs += PromptSignals.PENALTY.toNanos();
    assertThat(signals.peerOf("slow").signal(eventfd)).isTrue();
  }

  @Test
  void peerOf_moreGuestsThanAreKept_theOneWithoutNewPeersForLongestIsForgotten() {
    exhaust("first");
    exhaust("second");
    for (int i = 2; i < GuestSignals.MOST_GUESTS; i++) {
      assertThat(signals.peerOf("guest-" + i).signal(eventfd)).isTrue();
    }
    assertThat(signals.peerOf("first").signal(eventfd)).as("all are kept").isFalse();
    assertThat(signals.peerOf("one more").signal(eventfd)).isTrue();
    assertThat(signals.peerOf("first").signal(eventfd)).as("had a peer since").isFalse();
    assertThat(signals.peerOf("second").signal(eventfd)).as("forgotten").isTrue();
  }
}
