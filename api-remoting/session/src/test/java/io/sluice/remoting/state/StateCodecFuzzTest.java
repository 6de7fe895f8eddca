package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of a session's state: refused, or an item that is read again from what it is written. */
final class StateCodecFuzzTest {
  /** The type of an item, and its fields. */
  static Stream<byte[]> frames() {
    return StateCodecTest.items().stream()
        .map(item -> {
          byte[] frame = frame(item);
          byte[] seed = new byte[2 + frame.length - StateCodec.HEADER_BYTES];
          System.arraycopy(frame, 4, seed, 0, 2);
          System.arraycopy(frame, StateCodec.HEADER_BYTES, seed, 2, seed.length - 2);
          return seed;
        });
  }

  private static byte[] frame(StateItem item) {
    FrameWriter writer = new FrameWriter();
    StateCodec.write(item, writer);
    return Arrays.copyOf(writer.array(), writer.size());
  }

  @MethodSource("frames")
  @FuzzTest
  void frame(byte[] input) {
    if (input.length < 2) {
      return;
    }
    int type = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).getShort() & 0xffff;
    try {
      StateItem item =
          StateCodec.read(type, new FrameReader(Arrays.copyOfRange(input, 2, input.length)));
      byte[] again = frame(item);
      StateItem second =
          StateCodec.read(
              type,
              new FrameReader(Arrays.copyOfRange(again, StateCodec.HEADER_BYTES, again.length)));
      StateCodecTest.requireSame(second, item);
    } catch (StateException e) {
      assertThat(e.getMessage()).isNotEmpty();
    }
  }
}
