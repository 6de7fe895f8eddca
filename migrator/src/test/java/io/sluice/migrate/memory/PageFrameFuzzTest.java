package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of pages and of zeros: runs of whole pages with exactly their bytes, or EPROTO. */
final class PageFrameFuzzTest {
  private static final int PAGE = 4096;

  /** Whether it is of zeros, and the payload. */
  static Stream<byte[]> frames() {
    return Stream.of(
        seed(0, frame(FrameType.PAGES, 0, PAGE, 9 * PAGE)),
        seed(1, frame(FrameType.ZEROS, 3 * PAGE, 7 * PAGE)));
  }

  private static Frame frame(FrameType type, long... offsets) {
    ByteBuffer room = ByteBuffer.allocate(PageFrames.BUILT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    PageFrames.Builder builder = new PageFrames.Builder(type, 1, room);
    for (long offset : offsets) {
      if (type == FrameType.PAGES) {
        builder.put(MemorySegment.ofArray(new byte[PAGE]));
      }
      builder.added(offset);
    }
    return builder.build();
  }

  private static byte[] seed(int zeros, Frame frame) {
    byte[] seed = new byte[1 + frame.payload().remaining()];
    seed[0] = (byte) zeros;
    frame.reader().get(seed, 1, seed.length - 1);
    return seed;
  }

  @MethodSource("frames")
  @FuzzTest
  void pages(byte[] input) {
    if (input.length == 0) {
      return;
    }
    FrameType type = (input[0] & 1) == 0 ? FrameType.PAGES : FrameType.ZEROS;
    byte[] payload = Arrays.copyOfRange(input, 1, input.length);
    long[] bytes = new long[1];
    try {
      int pages =
          PageFrames.read(
              Frame.of(type, ByteBuffer.wrap(payload)),
              (offset, length, run) -> {
                assertThat(offset % PAGE).isZero();
                assertThat(length % PAGE).isZero();
                assertThat(length).isPositive();
                assertThat(run.remaining()).isEqualTo(type == FrameType.PAGES ? (int) length : 0);
                bytes[0] += length;
              });
      assertThat(bytes[0]).isEqualTo((long) pages * PAGE);
    } catch (RefusedException e) {
      assertThat(e.errno().name()).isEqualTo("EPROTO");
    }
  }
}
