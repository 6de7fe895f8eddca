package io.sluice.testbed.fakes.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testbed.fakes.Seeds;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Seeds.class)
final class TraceBytesTest {
  @Test
  void write_zerosAndOthers_runsInBrackets() {
    assertThat(TraceBytes.write(new byte[] {1, 0, 0, 2, 0, 0, 0, 0, -1, 0, 0, 0}))
        .isEqualTo("01000002[4]ff[3]");
    assertThat(TraceBytes.write(new byte[0])).isEqualTo("-");
  }

  @Test
  void read_noDigits_refused() {
    assertThatThrownBy(() -> TraceBytes.read("0x")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void read_whatWasWritten_isTheSame(RandomGenerator random) {
    for (int i = 0; i < 1000; i++) {
      byte[] bytes = new byte[random.nextInt(64)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = random.nextInt(3) == 0 ? (byte) random.nextInt() : 0;
      }
      assertThat(TraceBytes.read(TraceBytes.write(bytes))).isEqualTo(bytes);
    }
  }
}
