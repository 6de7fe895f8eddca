package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import org.junit.jupiter.api.Test;

final class RealKernelTest {
  @Test
  void requirePlatform_anotherArchitecture_refusesByName() {
    assertThatThrownBy(() -> RealKernel.requirePlatform("Linux", "aarch64"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> {
              assertThat(refused.code()).isEqualTo("SLU-SYS-002");
              assertThat(refused).hasMessageContaining("arch=aarch64");
              assertThat(refused.remedy()).isEqualTo("run on x86-64 Linux");
            });
  }

  @Test
  void requirePlatform_anotherSystem_refuses() {
    assertThatThrownBy(() -> RealKernel.requirePlatform("Mac OS X", "amd64"))
        .isInstanceOf(RefusedException.class);
  }
}
