package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class RecordingKernelTest {
  private final RecordingKernel kernel = new RecordingKernel(RealKernel.create(), 3);

  @Test
  void constructor_noRoom_throws() {
    assertThatThrownBy(() -> new RecordingKernel(kernel, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void calls_failedCall_tellErrno() {
    assertThatThrownBy(() -> kernel.open(Path.of("/nonexistent/x"), 0))
        .isInstanceOf(SyscallException.class);
    assertThat(kernel.calls())
        .extracting(RecordingKernel.Call::toString)
        .containsExactly("open(path=/nonexistent/x, flags=0) = ENOENT");
  }

  @Test
  void calls_moreThanCapacity_keepTheLastAndCountAll() {
    try (Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      kernel.signal(event);
      kernel.signal(event);
      assertThat(kernel.drain(event)).isEqualTo(2);
    }
    assertThat(kernel.names()).containsExactly("signal", "signal", "drain");
    assertThat(kernel.total()).isEqualTo(4);
    kernel.clear();
    assertThat(kernel.calls()).isEmpty();
  }
}
