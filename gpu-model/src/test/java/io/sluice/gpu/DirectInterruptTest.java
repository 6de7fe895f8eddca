package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.gpu.mmu.MemoryRegion;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The short way of interrupts, by a clock that a slow signal makes go. */
final class DirectInterruptTest {
  private static final int BIT = 33;

  private final FakeKernel kernel = new FakeKernel();
  private final Fd eventfd = kernel.eventfd(0, Kernel.NONBLOCK);
  private final MemorySegment words = Arena.ofAuto().allocate(8, 4);
  private long nowNs;
  private long tookNs;
  private final PromptSignals signals = new PromptSignals(kernel, this::now);
  private final DirectInterrupt interrupt = new DirectInterrupt(signals);

  private long now() {
    nowNs += tookNs; // asked before and after a signal
    return nowNs;
  }

  @BeforeEach
  void processorTime() {
    kernel.processorTime(this::now);
  }

  @AfterEach
  void close() {
    interrupt.takeEventfd().ifPresent(Fd::close);
    eventfd.close();
    assertThat(kernel.openFds()).isEmpty();
  }

  private void assign() {
    interrupt.setPending(new MemoryRegion(1, words, true), BIT);
    interrupt.setEventfd(kernel.dup(eventfd));
  }

  private boolean isPending() {
    return words.get(ValueLayout.JAVA_INT, 4) == 2;
  }

  private void guestLooks() {
    words.fill((byte) 0);
  }

  @Test
  void deliver_bitThatIsSet_signalsNothingMore() {
    assign();
    assertThat(interrupt.deliver()).isTrue();
    assertThat(interrupt.deliver()).isTrue();
    assertThat(isPending()).isTrue();
    assertThat(kernel.drain(eventfd)).isEqualTo(1);
    guestLooks();
    assertThat(interrupt.deliver()).isTrue();
    assertThat(kernel.drain(eventfd)).isEqualTo(1);
  }

  @Test
  void deliver_withoutEventfd_goesTheLongWay() {
    assertThat(interrupt.deliver()).isFalse();
    assign();
    interrupt.takeEventfd().ifPresent(Fd::close);
    assertThat(interrupt.deliver()).isFalse();
    assertThat(isPending()).isFalse();
  }

  @Test
  void deliver_eventfdThatManyWaitFor_goesTheLongWayFromThenOn() {
    assign();
    tookNs = Duration.ofSeconds(1).toNanos();
    for (int i = 0; i < 2; i++) { // the first has them measured
      assertThat(interrupt.deliver()).isTrue();
      guestLooks();
    }
    tookNs = 0;
    assertThat(interrupt.deliver()).isFalse();
    assertThat(isPending()).as("left to whoever goes the long way").isFalse();
    assertThat(kernel.drain(eventfd)).isEqualTo(2);
    nowNs += PromptSignals.PENALTY.toNanos();
    assertThat(interrupt.deliver()).isTrue();
    assertThat(kernel.drain(eventfd)).isEqualTo(1);
  }

  @Test
  void deliver_eventfdThatCannotBeWritten_goesTheLongWayUntilThereIsAnother() {
    assign();
    kernel.fail("signalForeign", 1, Errno.EBADF);
    assertThat(interrupt.deliver()).isFalse();
    assertThat(isPending()).isFalse();
    assertThat(interrupt.deliver()).isFalse();
    interrupt.takeEventfd().ifPresent(Fd::close);
    interrupt.setEventfd(kernel.dup(eventfd));
    assertThat(interrupt.deliver()).isTrue();
    assertThat(kernel.drain(eventfd)).isEqualTo(1);
  }
}
