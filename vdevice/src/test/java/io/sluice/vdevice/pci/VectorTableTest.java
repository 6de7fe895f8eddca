package io.sluice.vdevice.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.FakeKernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What may be signalled for a vector, and who is told of it. */
final class VectorTableTest {
  private final FakeKernel kernel = new FakeKernel();
  private final AtomicLong nowNs = new AtomicLong();
  private final AtomicLong tookNs = new AtomicLong(); // for a signal
  private final PromptSignals signals =
      new PromptSignals(kernel, () -> nowNs.addAndGet(tookNs.get()));
  private final VectorTable vectors = new VectorTable(kernel, signals, Thread::new);
  private final List<String> told = new ArrayList<>();
  private final Fd ours = kernel.eventfd(0, Kernel.NONBLOCK);

  @AfterEach
  void nothingIsLeft() {
    vectors.close();
    ours.close();
    assertThat(kernel.openFds()).isEmpty();
  }

  private void observe() {
    vectors.observe((vector, eventfd) -> {
      if (eventfd != null) {
        assertThat(eventfd.isOpen()).isTrue();
        told.add(vector + " on");
      } else if (vector == 3) {
        told.add(vector + " off");
      }
    });
  }

  @Test
  void assign_eventfd_isToldWhileTheFormerOneIsStillOpen() {
    Fd first = kernel.dup(ours);
    vectors.assign(3, first);
    vectors.observe((vector, _) -> told.add(vector + " former open=" + first.isOpen()));
    vectors.assign(3, kernel.dup(ours));
    assertThat(told).containsExactly("3 former open=true");
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void assign_whileHeld_tellsOfNothingUntilRelease() {
    vectors.hold();
    observe();
    vectors.assign(3, kernel.dup(ours));
    assertThat(told).containsExactly("3 off");
    vectors.release();
    assertThat(told).containsExactly("3 off", "3 on");
    assertThat(kernel.drain(ours)).isEqualTo(1);
  }

  @Test
  void hold_vectorWithEventfd_takesItAwayBeforeItReturns() {
    vectors.assign(3, kernel.dup(ours));
    observe();
    vectors.hold();
    assertThat(told).containsExactly("3 off");
    vectors.raise(3);
    assertThat(kernel.drain(ours)).isZero();
    vectors.release();
    assertThat(told).containsExactly("3 off", "3 on");
    assertThat(kernel.drain(ours)).isEqualTo(1);
  }

  @Test
  void clear_vectorWithEventfd_isTold() {
    vectors.assign(3, kernel.dup(ours));
    observe();
    vectors.clear();
    assertThat(told).containsExactly("3 off");
  }

  /** Whoever raises does not wait, and another thread signals. */
  @Test
  void raise_eventfdThatManyWaitFor_isSignalledByAThreadOfItsOwn() {
    vectors.assign(3, kernel.dup(ours));
    kernel.processorTime(() -> nowNs.addAndGet(tookNs.get()));
    tookNs.set(Duration.ofSeconds(1).toNanos());
    vectors.raise(3);
    vectors.raise(3); // the first has them measured
    assertThat(kernel.drain(ours)).isEqualTo(2);
    tookNs.set(0);
    vectors.raise(3);
    await().atMost(Duration.ofMinutes(1)).until(() -> kernel.drain(ours) == 1);
    kernel.fail("dup", 1, Errno.EMFILE);
    vectors.raise(3);
    await().atMost(Duration.ofMinutes(1)).until(() -> kernel.outstandingFailures().isEmpty());
    await().atMost(Duration.ofMinutes(1)).until(() -> vectors.pending() == 1 << 3);
    vectors.hold();
    vectors.raise(3);
    assertThat(vectors.pending()).isEqualTo(1 << 3);
    vectors.release();
    await().atMost(Duration.ofMinutes(1)).until(() -> kernel.drain(ours) == 1);
    assertThat(vectors.pending()).isZero();
  }
}
