package io.sluice.abi.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;

/**
 * An eventfd of the kernel's, whose signals take as long as a test wants, by a clock of its own.
 */
final class SlowSignals implements AutoCloseable {
  private final Kernel real = RealKernel.create();
  final Fd eventfd = real.eventfd(0, Kernel.NONBLOCK);
  long nowNs = Long.MAX_VALUE - 1000; // it may wrap round
  private long processorNs;
  private long tookNs;
  private long onProcessorNs;

  /** Each signal takes so long from now on, all of it on a processor. */
  void take(Duration time) {
    take(time, time);
  }

  void take(Duration time, Duration onProcessor) {
    tookNs = time.toNanos();
    onProcessorNs = onProcessor.toNanos();
  }

  /** The kernel, as far as signals need it. */
  Kernel kernel() {
    return StandIn.of(
        Kernel.class,
        real,
        call -> {
          if (call.is("processorTimeNs")) {
            return processorNs;
          }
          assertThat(call.method()).isEqualTo("signalForeign");
          nowNs += tookNs;
          processorNs += onProcessorNs;
          return call.pass();
        });
  }

  /** Sends as many signals, or until one is refused: how many were sent, and came. */
  long send(PromptSignals signals, int times) {
    int sent = 0;
    while (sent < times && signals.signal(eventfd)) {
      sent++;
    }
    assertThat(sent == 0 ? 0 : real.drain(eventfd)).isEqualTo(sent);
    return sent;
  }

  @Override
  public void close() {
    eventfd.close();
  }
}
