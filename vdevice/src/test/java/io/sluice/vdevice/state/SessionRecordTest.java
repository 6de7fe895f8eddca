package io.sluice.vdevice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.RefusedException;
import io.sluice.vdevice.protocol.ClientCapabilities;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class SessionRecordTest {
  private static final int HEAD_BYTES = 36;

  private static byte[] record() {
    return new SessionRecord(
            new ClientCapabilities(8, 4096, true),
            7,
            true,
            5,
            ImmutableList.of(new SessionRecord.MapRecord(0x1000, 0x2000, 0x3000, true, false)),
            DeviceStateTest.state(0))
        .encode();
  }

  private static void refused(byte[] bytes) {
    assertThatThrownBy(() -> SessionRecord.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-");
  }

  @Test
  void decode_ofWhatWasEncoded_isTheSame() {
    SessionRecord back = SessionRecord.decode(ByteBuffer.wrap(record()));
    assertThat(back.client()).isEqualTo(new ClientCapabilities(8, 4096, true));
    assertThat(back.generation()).isEqualTo(7);
    assertThat(back.hasVideoFile()).isTrue();
    assertThat(back.vectorFiles()).isEqualTo(5);
    assertThat(back.maps())
        .containsExactly(new SessionRecord.MapRecord(0x1000, 0x2000, 0x3000, true, false));
    assertThat(back.state().eventHead()).isEqualTo(77);
    assertThat(back.files()).isEqualTo(6);
  }

  @Test
  void decode_aFlagThatIsNeither0Nor1_isRefused() {
    int map = HEAD_BYTES + 3 * Long.BYTES;
    for (int flag : new int[] {3 * Integer.BYTES, 5 * Integer.BYTES, map, map + Integer.BYTES}) {
      byte[] bytes = record();
      bytes[flag] = 2;
      refused(bytes);
      bytes[flag] = 0;
      bytes[flag + 3] = (byte) 0x80;
      refused(bytes);
    }
  }

  @Test
  void decode_everyOtherLength_isRefused() {
    byte[] whole = record();
    for (int bytes = 0; bytes < whole.length; bytes += bytes < 200 ? 1 : 997) {
      refused(Arrays.copyOf(whole, bytes));
    }
    refused(Arrays.copyOf(whole, whole.length + 1));
  }

  @Test
  void decode_moreMapsThanAClientMayHave_isRefused() {
    byte[] bytes = record();
    bytes[HEAD_BYTES - 1] = 0x7f;
    refused(bytes);
    bytes[HEAD_BYTES - 1] = (byte) 0x80;
    refused(bytes);
  }
}
