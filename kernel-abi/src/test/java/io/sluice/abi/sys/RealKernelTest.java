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
  void hostLimits_ofThisHost_arePossible() {
    HostLimits limits = RealKernel.create().hostLimits();
    assertThat(limits.openFiles()).isGreaterThan(16);
    assertThat(limits.mappings()).isGreaterThan(1024);
    assertThat(limits.memoryBytes()).isGreaterThan(64L << 20);
    assertThat(RealKernel.create().availableBytes()).isBetween(1L << 20, limits.memoryBytes());
  }

  @Test
  void stopLingering_notASocket_isNothing() {
    Kernel kernel = RealKernel.create();
    try (Fd event = kernel.eventfd(0, 0)) {
      kernel.stopLingering(event);
    }
  }

  @Test
  void requirePlatform_anotherSystem_refuses() {
    assertThatThrownBy(() -> RealKernel.requirePlatform("Mac OS X", "amd64"))
        .isInstanceOf(RefusedException.class);
  }
}
