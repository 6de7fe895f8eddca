package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.testbed.fakes.LingeringFd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ForeignFdsTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Kernel kernel = new FakeKernel();
  private final List<Thread> threads = new ArrayList<>();

  private ForeignFds make(Kernel of) {
    return new ForeignFds(of, "g", this::thread);
  }

  private Thread thread(Runnable action) {
    Thread thread = new Thread(action);
    threads.add(thread);
    return thread;
  }

  /** A descriptor that is closed when a latch opens. */
  private static Fd slow(CountDownLatch gate) {
    return new Fd(
        77,
        _ -> {
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void close_thatHangs_isWaitedForByNobody() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    ForeignFds foreign = make(RealKernel.create());
    foreign.apply(slow(gate)).close(); // would not return
    assertThat(foreign.await(0, Duration.ZERO)).isFalse();
    assertThat(foreign.waiting()).isEqualTo(1);
    foreign.close();
    gate.countDown();
    assertThat(foreign.await(0, LONG)).isTrue();
    threads.get(0).join();
  }

  @Test
  void close_twice_closesOnce() {
    AtomicInteger closed = new AtomicInteger();
    ForeignFds foreign = make(kernel);
    Fd fd = foreign.apply(new Fd(78, _ -> closed.incrementAndGet()));
    fd.close();
    fd.close();
    assertThat(foreign.await(0, LONG)).isTrue();
    assertThat(closed).hasValue(1);
    foreign.close();
  }

  @Test
  void close_whatCannotBeTold_isClosed() {
    AtomicInteger closed = new AtomicInteger();
    ForeignFds foreign = make(RealKernel.create());
    foreign.apply(new Fd(Integer.MAX_VALUE, _ -> closed.incrementAndGet())).close(); // EBADF
    assertThat(foreign.await(0, LONG)).isTrue();
    assertThat(closed).hasValue(1);
    foreign.close();
  }

  /** Otherwise it would last as long as the peer does not read. */
  @Test
  void close_socketThatLingers_isClosedAtOnce() throws Exception {
    Kernel real = RealKernel.create();
    try (LingeringFd lingering = new LingeringFd(real)) {
      ForeignFds foreign = make(real);
      foreign.apply(lingering.fd()).close();
      assertThat(foreign.await(0, LONG)).isTrue();
      foreign.close();
    }
  }

  @Test
  void close_noThreadToBeHad_theNextOneTriesAgain() {
    AtomicInteger tries = new AtomicInteger();
    ForeignFds foreign =
        new ForeignFds(
            kernel,
            "g",
            action -> {
              if (tries.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Thread(action);
            });
    foreign.apply(kernel.eventfd(0, 0)).close();
    assertThat(foreign.waiting()).isEqualTo(1);
    foreign.apply(kernel.eventfd(0, 0)).close();
    assertThat(foreign.await(0, LONG)).isTrue();
    foreign.close();
  }
}
