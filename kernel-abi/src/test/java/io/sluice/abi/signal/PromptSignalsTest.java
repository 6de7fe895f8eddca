package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The allowance of signals to a peer, by a clock of the test's. */
final class PromptSignalsTest {
  private final Kernel kernel = RealKernel.create();
  private final Fd eventfd = kernel.eventfd(0, Kernel.NONBLOCK);
  private long nowNs = Long.MAX_VALUE - 1000; // it may wrap round
  private long tookNs;
  private long processorNs;
  private long onProcessorNs;
  private final PromptSignals all = new PromptSignals(slow(), () -> nowNs);
  private final PromptSignals peer = all.child();

  @AfterEach
  void close() {
    eventfd.close();
  }

  /** The kernel, in which a signal takes time. */
  private Kernel slow() {
    return (Kernel)
        Proxy.newProxyInstance(
            Kernel.class.getClassLoader(),
            new Class<?>[] {Kernel.class},
            (_, method, arguments) -> {
              if (method.getName().equals("processorTimeNs")) {
                return processorNs;
              }
              assertThat(method.getName()).isEqualTo("signalForeign");
              nowNs += tookNs;
              processorNs += onProcessorNs;
              kernel.signalForeign((Fd) arguments[0]);
              return null;
            });
  }

  private long sent(PromptSignals signals, int times) {
    int sent = 0;
    while (sent < times && signals.signal(eventfd)) {
      sent++;
    }
    assertThat(kernel.drain(eventfd)).isEqualTo(sent);
    return sent;
  }

  private void took(Duration time) {
    tookNs = time.toNanos();
    onProcessorNs = tookNs;
  }

  @Test
  void signal_usual_isSentForEver() {
    took(PromptSignals.USUAL);
    assertThat(sent(peer, 10_000)).isEqualTo(10_000);
  }

  @Test
  void signal_twice_forVeryLong_isTheLastForAWhile() {
    took(Duration.ofSeconds(1));
    assertThat(sent(peer, 3)).as("the first has them measured").isEqualTo(2);
    nowNs += PromptSignals.PENALTY.toNanos() - 1;
    assertThat(sent(peer, 1)).isZero();
    nowNs++;
    assertThat(sent(peer, 2)).isEqualTo(1);
  }

  @Test
  void signal_aLittleTooLong_takesOfTheAllowance() {
    took(Duration.ofMillis(1));
    assertThat(sent(peer, 1000)).isEqualTo(PromptSignals.MOST.toMillis() + 2);
  }

  @Test
  void allowance_comesBackWithTime() {
    took(Duration.ofMillis(1));
    long most = PromptSignals.MOST.toMillis();
    assertThat(sent(peer, (int) most + 1)).isEqualTo(most + 1);
    nowNs += Duration.ofSeconds(5).toNanos();
    assertThat(sent(peer, 1000)).isEqualTo(6);
  }

  @Test
  void child_afterOneWhoseSignalsTookLong_beginsWithNone() {
    PromptSignals beside = all.child();
    took(Duration.ofSeconds(1));
    assertThat(sent(peer, 3)).isEqualTo(2);
    took(PromptSignals.USUAL);
    PromptSignals next = all.child();
    assertThat(sent(next, 1)).isZero();
    assertThat(sent(beside, 10)).as("who was there before").isEqualTo(10);
    nowNs += PromptSignals.PENALTY.toNanos();
    assertThat(sent(next, 10)).isEqualTo(10);
  }

  @Test
  void child_afterOneThatWasSuspected_isMeasuredFromTheFirst() {
    took(Duration.ofSeconds(1));
    assertThat(sent(peer, 1)).isEqualTo(1);
    assertThat(sent(all.child(), 2)).isEqualTo(1);
  }

  @Test
  void signal_longWhileTheThreadIsKeptFromTheProcessor_isSentForEver() {
    took(Duration.ofSeconds(1));
    onProcessorNs = PromptSignals.USUAL.toNanos();
    assertThat(sent(peer, 10_000)).isEqualTo(10_000);
  }
}
