package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RealKernelEventsTest {
  private static final long FULL = -2; // 0xfffffffffffffffe, the largest count of an eventfd

  private final Kernel kernel = RealKernel.create();

  @Test
  void eventfd_unknownFlags_einval() {
    assertThatThrownBy(() -> kernel.eventfd(0, 0x10))
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.is(Errno.EINVAL)).isTrue());
  }

  @Test
  void isEventfd_ofAnotherKind_false() {
    try (Fd memory = kernel.memfdCreate("no-eventfd", 4096)) {
      assertThat(kernel.isEventfd(memory)).isFalse();
    }
  }

  @Test
  void isEventfd_ofEventfd_true() {
    try (Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      assertThat(kernel.isEventfd(event)).isTrue();
    }
  }

  @Test
  void drain_nothingSignalled_returnsZero() {
    try (Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      assertThat(kernel.drain(event)).isZero();
    }
  }

  @Test
  void drain_afterSignals_returnsCountOnce() {
    try (Fd event = kernel.eventfd(2, Kernel.NONBLOCK)) {
      kernel.signal(event);
      assertThat(kernel.drain(event)).isEqualTo(3);
      assertThat(kernel.drain(event)).isZero();
    }
  }

  @Test
  void signal_fullCounter_isNoFailure() {
    try (Fd event = kernel.eventfd(0, Kernel.NONBLOCK);
        Arena arena = Arena.ofConfined()) {
      kernel.write(event, arena.allocateFrom(Layouts.U64, FULL));
      kernel.signal(event);
      assertThat(kernel.drain(event)).isEqualTo(FULL);
    }
  }

  @Test
  void signalForeign_notAnEventfd_throws() {
    assumeThat(kernel.canSignalForeign()).isTrue();
    try (Fd file = kernel.memfdCreate("file", 4096)) {
      assertThatThrownBy(() -> kernel.signalForeign(file))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.EINVAL)).isTrue());
    }
  }

  /** What a hostile peer does to its eventfd: {@code signal} would wait here for ever. */
  @Test
  void signalForeign_blockingEventfdThatIsFull_returns() {
    assumeThat(kernel.canSignalForeign()).isTrue();
    try (Fd event = kernel.eventfd(0, 0);
        Arena arena = Arena.ofConfined()) {
      kernel.write(event, arena.allocateFrom(Layouts.U64, FULL));
      for (int i = 0; i < 1000; i++) {
        kernel.signalForeign(event);
      }
      assertThat(kernel.drain(event)).isEqualTo(-1);
    }
  }

  @Test
  void signalForeign_moreThanTheRingHolds_countsEach() {
    assumeThat(kernel.canSignalForeign()).isTrue();
    try (Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      for (int i = 0; i < 5000; i++) {
        kernel.signalForeign(event);
      }
      assertThat(kernel.drain(event)).isEqualTo(5000);
    }
  }

  @Test
  void setNonBlocking_ofBlockingEventfd_drainReturnsInsteadOfWaiting() {
    try (Fd event = kernel.eventfd(0, 0)) {
      kernel.setNonBlocking(event);
      assertThat(kernel.drain(event)).isZero();
    }
  }

  @Test
  void signal_notAnEventfd_throws() {
    try (Fd file = kernel.memfdCreate("file", 4096);
        Fd reader = kernel.open(java.nio.file.Path.of("/proc/self/fd/" + file.number()), 0)) {
      assertThatThrownBy(() -> kernel.signal(reader))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.EBADF)).isTrue());
    }
  }

  @Test
  void poll_timeoutOver_returnsZero() {
    try (Fd event = kernel.eventfd(0, 0)) {
      short[] revents = {-1};
      assertThat(kernel.poll(List.of(event), new short[] {Kernel.POLLIN}, revents, 1)).isZero();
      assertThat(revents).containsExactly((short) 0);
    }
  }

  @Test
  void poll_oneOfTwoReady_tellsWhich() {
    try (Fd quiet = kernel.eventfd(0, 0);
        Fd ready = kernel.eventfd(1, 0)) {
      short[] events = {Kernel.POLLIN, Kernel.POLLIN};
      short[] revents = new short[2];
      assertThat(kernel.poll(List.of(quiet, ready), events, revents, -1)).isEqualTo(1);
      assertThat(revents).containsExactly((short) 0, Kernel.POLLIN);
    }
  }

  @Test
  void poll_tooFewEventWords_throws() {
    try (Fd event = kernel.eventfd(0, 0)) {
      assertThatThrownBy(() -> kernel.poll(List.of(event), new short[0], new short[1], 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void read_closedArena_throwsBeforeTheCall() {
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(8, 8);
    }
    try (Fd event = kernel.eventfd(1, Kernel.NONBLOCK)) {
      assertThatThrownBy(() -> kernel.read(event, closed))
          .isInstanceOf(IllegalStateException.class);
      assertThat(kernel.drain(event)).isEqualTo(1);
    }
  }
}
