package io.sluice.vdevice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.record.Section;
import io.sluice.vdevice.protocol.Limits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class DeviceStateTest {
  static DeviceState state(int vectors, int... waiting) {
    int[] executed = new int[GuestAbi.MAX_SLOTS];
    Arrays.setAll(executed, i -> 3 * i);
    byte[] area = new byte[GuestAbi.BAR1_SIZE];
    Arrays.fill(area, (byte) 0x5a);
    byte[] config = new byte[PciState.CONFIG_BYTES];
    config[PciState.COMMAND] = 6;
    config[0x12] = 0x34;
    config[PciState.MSIX_CONTROL + 1] = (byte) 0x80;
    return new DeviceState(
        77,
        2,
        vectors,
        ImmutableIntArray.copyOf(executed),
        ImmutableIntArray.copyOf(waiting),
        ByteBuffer.wrap(area),
        new PciState(config, new byte[PciState.MSIX_TABLE_BYTES]));
  }

  @Test
  void decode_ofWhatWasEncoded_isTheSame() {
    DeviceState back = DeviceState.decode(state(0x1_0001, 5, 64, 0).encode());

    assertThat(back.eventHead()).isEqualTo(77);
    assertThat(back.eventsLost()).isEqualTo(2);
    assertThat(back.pendingVectors()).isEqualTo(0x1_0001);
    assertThat(back.executed().get(63)).isEqualTo(189);
    assertThat(back.waiting()).isEqualTo(ImmutableIntArray.of(5, 64, 0));
    assertThat(back.callArea().get(100)).isEqualTo((byte) 0x5a);
    assertThat(back.pci().isBusMaster()).isTrue();
    assertThat(back.pci().usesMsix()).isTrue();
    assertThat(back.pci().registersAddress()).isEqualTo(0x34_0000);
  }

  @Test
  void decode_everyOtherLength_isRefused() {
    ByteBuffer payload = state(0, 1, 2).encode().payload();
    for (int bytes : new int[] {0, 11, 300, payload.remaining() - 1, payload.remaining() - 4}) {
      byte[] cut = new byte[bytes];
      payload.duplicate().get(cut);
      refused(new Section(DeviceState.SECTION, 1, cut));
    }
    byte[] more = new byte[payload.remaining() + 4];
    payload.duplicate().get(more, 0, payload.remaining());
    refused(new Section(DeviceState.SECTION, 1, more));
  }

  @Test
  void decode_aListThatSaysItIsLonger_isRefused() {
    byte[] bytes = new byte[state(0).encode().payload().remaining()];
    state(0).encode().payload().get(bytes);
    int count = 4 * (3 + GuestAbi.MAX_SLOTS);
    bytes[count + 3] = (byte) 0x80;
    refused(new Section(DeviceState.SECTION, 1, bytes));
    bytes[count + 3] = 0x40;
    refused(new Section(DeviceState.SECTION, 1, bytes));
  }

  @Test
  void decode_callsThatCannotWait_isRefused() {
    for (int[] waiting : new int[][] {{65}, {-1}, {3, 3}}) {
      assertThatThrownBy(() -> state(0, waiting)).isInstanceOf(RefusedException.class);
    }
  }

  @Test
  void decode_vectorsThatDoNotExist_isRefused() {
    assertThatThrownBy(() -> state(1 << Limits.MAX_VECTORS)).isInstanceOf(RefusedException.class);
  }

  @Test
  void decode_anotherSection_isRefused() {
    ByteBuffer payload = state(0).encode().payload();
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    refused(new Section(DeviceState.SECTION, 2, bytes));
    refused(new Section(1, 1, bytes));
  }

  private static void refused(Section section) {
    assertThatThrownBy(() -> DeviceState.decode(section))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-REC-020");
  }
}
