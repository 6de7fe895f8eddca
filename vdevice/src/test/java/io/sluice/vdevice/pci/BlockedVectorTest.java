package io.sluice.vdevice.pci;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A client that makes its eventfd blocking and fills its counter. */
final class BlockedVectorTest {
  private static final int JOIN_MS = 60_000;
  private static final long FULL = -2L; // the largest count, 2^64 - 2

  private final Kernel kernel = RealKernel.create();
  private final PromptSignals signals = new PromptSignals(kernel, System::nanoTime);

  @Test
  void close_threadStuckInASignal_isFreed() throws Exception {
    VectorTable vectors = new VectorTable(kernel, null, Thread::new);
    Fd eventfd = kernel.eventfd(0, 0);
    fill(eventfd);
    vectors.assign(1, eventfd);
    Thread stuck = Thread.ofPlatform().daemon().start(() -> vectors.raise(1));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> stuck.getState() == Thread.State.RUNNABLE && stuckFor(stuck));

    long counted = vectors.delivered();
    vectors.close();
    stuck.join(JOIN_MS);

    assertThat(counted).isZero();
    assertThat(stuck.isAlive()).isFalse();
    assertThat(eventfd.isOpen()).isFalse();
  }

  @Test
  void raise_blockingEventfdThatIsFull_returns() {
    VectorTable vectors = new VectorTable(kernel, signals, Thread::new);
    Fd eventfd = kernel.eventfd(0, 0);
    fill(eventfd);
    vectors.assign(1, eventfd);

    vectors.raise(1);

    assertThat(vectors.delivered()).isEqualTo(1);
    vectors.close();
  }

  @Test
  void raise_afterClose_signalsNothing() {
    VectorTable vectors = new VectorTable(kernel, signals, Thread::new);
    try (Fd ours = kernel.eventfd(0, Kernel.NONBLOCK)) {
      vectors.assign(1, kernel.dup(ours));
      vectors.close();

      vectors.raise(1);

      assertThat(kernel.drain(ours)).isZero();
    }
  }

  /** Whether it is inside the table's signal. */
  private static boolean stuckFor(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getMethodName().equals("signal")) {
        return true;
      }
    }
    return false;
  }

  private void fill(Fd eventfd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(8, 8);
      count.set(ValueLayout.JAVA_LONG, 0, FULL);
      kernel.write(eventfd, count);
    }
  }
}
