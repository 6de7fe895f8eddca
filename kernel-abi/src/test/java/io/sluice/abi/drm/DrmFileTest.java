package io.sluice.abi.drm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DrmFileTest {
  private final Kernel kernel = RealKernel.create();

  @Test
  void open_noSuchNode_enoent() {
    assertThatThrownBy(() -> DrmFile.open(kernel, Path.of("/dev/dri/card99")))
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.is(Errno.ENOENT)).isTrue());
  }

  @Test
  void ioctl_failing_leavesTheArgumentAlone() {
    try (DrmFile file = DrmFile.open(kernel, Path.of("/dev/zero"));
        Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(GemOpen.LAYOUT);
      GemOpen.NAME.set(argument, 7);
      assertThatThrownBy(() -> file.ioctl(DrmIoctl.GEM_OPEN, argument))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.ENOTTY)).isTrue());
      assertThat(argument.get(Layouts.U32, 0)).isEqualTo(7);
      assertThat(argument.get(Layouts.U32, 4)).isZero();
    }
  }

  @Test
  void ioctl_argumentShorterThanTheRequestSays_throws() {
    try (DrmFile file = DrmFile.open(kernel, Path.of("/dev/zero"));
        Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> file.ioctl(DrmIoctl.VERSION, arena.allocate(16)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void driver_noDrmDevice_enotty() {
    try (DrmFile file = DrmFile.open(kernel, Path.of("/dev/zero"))) {
      assertThatThrownBy(file::driver)
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.is(Errno.ENOTTY)).isTrue());
    }
  }

  @Test
  void map_anyHandle_isTheNodeAtThatOffset() {
    try (DrmFile file = DrmFile.open(kernel, Path.of("/dev/zero"))) {
      DrmDevice.DrmMapping mapping = file.map(0xc0010000L, 0x1000);
      assertThat(mapping.offset()).isEqualTo(0xc0010000L);
      assertThat(mapping.lengthBytes()).isEqualTo(0x1000);
      mapping.fd().close();
    }
  }
}
