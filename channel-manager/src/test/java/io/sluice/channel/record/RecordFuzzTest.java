package io.sluice.channel.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.RefusedException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Payloads of records: refused, or a record that is written as it was read. */
final class RecordFuzzTest {
  /** The section's id, its version, and the payload. */
  static Stream<byte[]> payloads() {
    return RecordCodecTest.SAMPLES.stream()
        .map(record -> {
          Section section = RecordCodec.encode(record);
          byte[] seed = new byte[2 + section.payload().remaining()];
          seed[0] = (byte) section.id();
          seed[1] = (byte) section.version();
          section.payload().get(seed, 2, seed.length - 2);
          return seed;
        });
  }

  @MethodSource("payloads")
  @FuzzTest
  void payload(byte[] input) {
    if (input.length < 2 || input[0] == 0 || input[1] == 0) {
      return;
    }
    Section section = new Section(input[0], input[1], Arrays.copyOfRange(input, 2, input.length));
    try {
      StateRecord record = RecordCodec.decode(section);
      assertThat(RecordCodec.decode(RecordCodec.encode(record))).isEqualTo(record);
    } catch (RefusedException e) {
      assertThat(e.code()).startsWith("SLU-");
    }
  }
}
