package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.remoting.relay.CallShape;
import io.sluice.testbed.checks.FuzzInput;
import io.sluice.testbed.fakes.FakeKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A ring whose words are the application's, which changes them between the calls that are taken:
 * messages within their bounds, and parameters that end in the two exceptions only.
 */
final class SubmissionRingFuzzTest {
  private static final ObjectKind THING = new ObjectKind(1, "thing", 100);
  private static final int MAX_STEPS = 24;
  private static final int MAX_CALLS = 64;
  private static final String LETTERS = "nlbrw";

  /** Steps: the head, where words are put, how many bytes and these; then how calls are read. */
  static Stream<byte[]> rings() {
    return Stream.of(
        step(24, 0, 24, 7, 0, 5),
        step(64, 0, 32, 8, 1, 40, 41),
        step(16, 0, 16, 1),
        step(-8, 8, 16, 0, 3));
  }

  private static byte[] step(int head, int at, int length, int call, int... words) {
    MemorySegment seed = MemorySegment.ofArray(new byte[24 + 8 * words.length + 8]);
    seed.set(ValueLayout.JAVA_INT_UNALIGNED, 0, head);
    seed.set(ValueLayout.JAVA_SHORT_UNALIGNED, 4, (short) at);
    seed.set(ValueLayout.JAVA_BYTE, 6, (byte) (16 + 8 * words.length));
    seed.set(ValueLayout.JAVA_INT_UNALIGNED, 7, length);
    seed.set(ValueLayout.JAVA_SHORT_UNALIGNED, 11, (short) call);
    for (int i = 0; i < words.length; i++) {
      seed.set(ValueLayout.JAVA_LONG_UNALIGNED, 23 + 8L * i, words[i]);
    }
    return seed.toArray(ValueLayout.JAVA_BYTE);
  }

  @MethodSource("rings")
  @FuzzTest
  void ring(byte[] input) {
    FuzzInput in = new FuzzInput(input);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(RingLayout.ARENA, 8);
      SubmissionRing ring = new SubmissionRing(memory);
      CallReader reader =
          new CallReader(new ObjectTable(List.of(THING)), new SharedMemory(new FakeKernel(), 0));
      try {
        for (int i = 0; i < MAX_STEPS && !in.isEmpty(); i++) {
          memory.set(ValueLayout.JAVA_INT, RingLayout.SUBMIT_HEAD, in.nextInt());
          int at = in.nextInt(1 << 16) % RingLayout.RING_BYTES & ~7;
          byte[] words = in.take(Math.min(in.nextInt(256), RingLayout.RING_BYTES - at));
          MemorySegment.copy(
              words, 0, memory, ValueLayout.JAVA_BYTE, RingLayout.RING + at, words.length);
          for (int call = 0; call < MAX_CALLS && reader.next(ring); call++) {
            read(reader, in);
          }
        }
      } catch (ProtocolException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  private static void read(CallReader reader, FuzzInput in) {
    byte[] message = reader.message();
    assertThat(message.length).isBetween(RingLayout.HEADER_BYTES, RingLayout.MESSAGE_BYTES);
    assertThat(reader.call()).isNotZero();
    StringBuilder shape = new StringBuilder();
    try {
      for (int i = in.nextInt(6); i > 0; i--) {
        readAny(reader, in, shape);
      }
      reader.end();
    } catch (NoSuchObjectException _) {
      return;
    }
    // The relay, which knows no objects, finds the same end.
    new CallShape(shape.toString()).find(message, new ArrayList<>(), new ArrayList<>());
  }

  private static void readAny(CallReader reader, FuzzInput in, StringBuilder shape) {
    int letter = in.nextInt(8);
    switch (letter) {
      case 0 -> reader.readInt();
      case 1 -> reader.readNew(THING);
      case 2 -> reader.readOptional(THING);
      case 3 -> reader.readObjects(THING);
      case 4 -> reader.readOptionalRange();
      case 5 -> reader.readString();
      case 6 -> reader.readBytes();
      default -> reader.readLongs();
    }
    shape.append(
        switch (letter) {
          case 0, 1, 2 -> LETTERS.charAt(0);
          case 3, 7 -> LETTERS.charAt(1);
          case 5, 6 -> LETTERS.charAt(2);
          default -> LETTERS.charAt(3);
        });
  }
}
