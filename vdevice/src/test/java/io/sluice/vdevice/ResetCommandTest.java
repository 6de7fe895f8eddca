package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.protocol.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DEVICE_RESET. */
final class ResetCommandTest extends ServerTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16, 4096, Limits.MAX_BODY_BYTES})
  void reset_withBody_einval(int bytes) {
    refused(Errno.EINVAL, 13, new byte[bytes]);
  }

  @Test
  void reset_withDescriptor_einval() {
    try (Fd stray = kernel.eventfd(0, 0)) {
      refused(Errno.EINVAL, 13, new byte[0], stray);
    }
  }

  @Test
  void reset_ofADeviceInUse_isAsAfterPowerOn() {
    int generation = client.read32(0, GuestAbi.REG_GENERATION);
    client.write32(7, 0x10, -1);
    client.write32(0, GuestAbi.BAR0_MSIX_TABLE + 12, 0);
    client.write32(1, 0x7ff0, 5);
    session.vectors().raise(3);
    client.ok(13, new byte[0]);
    assertThat(client.read32(0, GuestAbi.REG_GENERATION)).isNotZero().isNotEqualTo(generation);
    assertThat(client.read32(7, 0x10)).isZero();
    assertThat(client.read32(0, GuestAbi.BAR0_MSIX_TABLE + 12)).isEqualTo(1);
    assertThat(client.read32(1, 0x7ff0)).isZero();
    assertThat(client.read32(0, GuestAbi.BAR0_MSIX_PBA)).isZero();
  }

  @Test
  void reset_ofADeviceInUse_keepsGuestMemoryAndEventfds() {
    try (Fd memory = kernel.memfdCreate("ram", 4096);
        Fd event = kernel.eventfd(0, Kernel.NONBLOCK)) {
      client.ok(2, body(32, 3, 0L, 0L, 4096L), memory);
      client.ok(8, body(20, 0x24, 2, 1, 1), event);
      client.ok(13, new byte[0]);
      session.vectors().raise(1);
      assertThat(kernel.drain(event)).isEqualTo(1);
    }
    assertThat(gpu.last().regions).hasSize(1);
  }
}
