package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.RateLimit;
import io.sluice.abi.sys.Fd;
import io.sluice.testbed.fakes.FakeKernel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class AcceptorTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Path PATH = Path.of("/run/s");

  private final FakeKernel kernel = new FakeKernel();
  private final ForeignFds foreign = new ForeignFds(kernel, "g", Thread::new);
  private final AtomicInteger refused = new AtomicInteger();
  private final Acceptor acceptor =
      new Acceptor(
          new Acceptor.ListeningPlace(
              kernel,
              foreign.apply(kernel.listen(PATH, 8)),
              foreign,
              new GuestLog("g", LogRate.DEFAULT, System::nanoTime),
              new RateLimit(64, Duration.ofMillis(50), System::nanoTime)),
          new DeviceCounters.Live(),
          _ -> {
            refused.incrementAndGet();
            return false;
          });

  /** Each that is turned away would leave one more. */
  @Test
  void run_whileTooManyCannotBeClosed_turnsNobodyAway() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    foreign.apply(slow(gate)).close();
    for (int i = 0; i < ForeignFds.MOST_TURNED_AWAY; i++) {
      foreign.apply(kernel.eventfd(0, 0)).close();
    }
    Thread thread = new Thread(acceptor);
    thread.start();
    try (Fd _ = kernel.connect(PATH)) {
      await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
      assertThat(refused).hasValue(0);
      assertThat(kernel.count("accept")).isZero();

      gate.countDown();

      await().atMost(PATIENCE).until(() -> refused.get() == 1);
    }
    acceptor.close();
    thread.join();
    assertThat(foreign.await(0, PATIENCE)).isTrue();
    foreign.close();
    assertThat(kernel.openFds()).isEmpty();
  }

  /** A descriptor that is closed when a latch opens. */
  private Fd slow(CountDownLatch gate) {
    Fd event = kernel.eventfd(0, 0);
    return new Fd(
        event.number(),
        _ -> {
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          event.close();
        });
  }
}
