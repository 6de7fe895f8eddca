package io.sluice.migrate.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.migrate.qmp.PciAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a source says of its machine comes from the network. */
final class MachineMessagesTest {
  private static final long SPACE = 0xb000_0000L;

  private static ByteBuffer configuration(int kind, long address) {
    return ByteBuffer.allocate(12)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(kind)
        .putLong(address)
        .flip();
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, -1, Long.MIN_VALUE, 1, SPACE + 4096, 1L << 52, -(1L << 20), Long.MAX_VALUE})
  void configuration_impossibleAddress_isRefused(long address) {
    assertThatThrownBy(() -> MachineMessages.configuration(configuration(1, address)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-MIG-044");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, -1})
  void configuration_unknownKind_isRefused(int kind) {
    assertThatThrownBy(() -> MachineMessages.configuration(configuration(kind, SPACE)))
        .hasMessageContaining("SLU-MIG-044");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 4, 11, 13})
  void configuration_anotherLength_isRefused(int bytes) {
    byte[] message = Arrays.copyOf(configuration(1, SPACE).array(), bytes);
    assertThatThrownBy(() -> MachineMessages.configuration(ByteBuffer.wrap(message)))
        .hasMessageContaining("SLU-MIG-044");
  }

  @Test
  void configuration_asWritten_isRead() {
    ByteBuffer message = MachineMessages.configuration(SPACE);
    assertThat(MachineMessages.configuration(message)).isEqualTo(SPACE);
    assertThat(message.remaining()).isEqualTo(12);
  }

  @Test
  void address_asWritten_isRead() {
    PciAddress address = new PciAddress(1, 2, 3);
    assertThat(MachineMessages.address(MachineMessages.description(address))).isEqualTo(address);
  }
}
