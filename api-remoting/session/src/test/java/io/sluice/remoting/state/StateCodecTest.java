package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Items of a state stream, written and read, and frames that lie. */
final class StateCodecTest {
  private static final StateItem.Entity ENTITY = new StateItem.Entity(4, 17, 99, true);
  private static final StateItem.KeptCall CALL =
      new StateItem.KeptCall(8, 42, new byte[] {1, 2, 3}, List.of(7L, 9L));

  static List<StateItem> items() {
    return List.of(
        new StateItem.Head(1, StateItem.ApplicationPlace.HOST, "an implementation"),
        new StateItem.Head(2, StateItem.ApplicationPlace.MACHINE, ""),
        new StateItem.Segment(3, 4096, List.of()),
        new StateItem.Segment(
            0,
            12288,
            List.of(new StateItem.FilePart(7, 1L << 40, 4096), new StateItem.FilePart(0, 0, 8192))),
        new StateItem.Root(ENTITY, "a device"),
        new StateItem.Made(List.of(ENTITY), CALL, new byte[] {9}),
        new StateItem.Changed(99, CALL, -11),
        new StateItem.Gone(99, true),
        new StateItem.Content(99, 65536, 4, MemorySegment.ofArray(new byte[] {1, 0, 0, 2})),
        new StateItem.Content(99, 65536, 4, MemorySegment.NULL),
        new StateItem.Settled(ENTITY, 98, -14, List.of(1L, 2L, Long.MAX_VALUE)),
        new StateItem.Open(CALL, 64, List.of(ENTITY)),
        new StateItem.Mapped(99, 0, 10, 3),
        new StateItem.Failure(99, -5),
        new StateItem.Ring(-8, 12, 1L << 40),
        new StateItem.Notice(1, 0, 17),
        new StateItem.Prepared(),
        new StateItem.Complete(),
        new StateItem.Go(),
        new StateItem.Ready(),
        new StateItem.Refused(List.of("program 3 is made of binaries of another implementation")),
        new StateItem.Bytes(7, 3L << 48 | 16, new byte[] {1, 2}),
        new StateItem.Sent(7, List.of(new StateItem.MemoryRange(1L << 48, 9)), new byte[] {3}),
        new StateItem.Writes(42, List.of(new StateItem.MemoryRange(0, 1))),
        new StateItem.Answered(-42, -5, List.of(-1L, 2L)),
        new StateItem.Written(7),
        new StateItem.Wanted(new StateItem.MemoryRange(4096, 64)),
        new StateItem.Recall(true),
        new StateItem.Stay(),
        new StateItem.Stage(3),
        new StateItem.Hold(),
        new StateItem.Held(),
        new StateItem.Resume(),
        new StateItem.Kept("it failed", List.of("program 3")),
        new StateItem.Beat(List.of(1L, 2L), 4096));
  }

  private static byte[] frame(StateItem item) {
    FrameWriter writer = new FrameWriter();
    StateCodec.write(item, writer);
    return Arrays.copyOf(writer.array(), writer.size());
  }

  private static StateItem read(byte[] frame) throws StateException {
    ByteBuffer header = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(header.getInt(0)).isEqualTo(frame.length);
    return StateCodec.read(
        header.getShort(4),
        new FrameReader(Arrays.copyOfRange(frame, StateCodec.HEADER_BYTES, frame.length)));
  }

  @ParameterizedTest
  @MethodSource("items")
  void item_writtenAndRead_isTheSame(StateItem item) throws Exception {
    requireSame(read(frame(item)), item);
  }

  /** Items have the same bytes, wherever these are. */
  static void requireSame(StateItem one, StateItem other) {
    assertThat(one)
        .usingRecursiveComparison()
        .withEqualsForType((a, b) -> a.mismatch(b) == -1, MemorySegment.class)
        .isEqualTo(other);
  }

  @ParameterizedTest
  @MethodSource("items")
  void frame_oneByteShortOrLong_isRefused(StateItem item) {
    byte[] fields = frame(item);
    int type = ByteBuffer.wrap(fields).order(ByteOrder.LITTLE_ENDIAN).getShort(4);
    byte[] own = Arrays.copyOfRange(fields, StateCodec.HEADER_BYTES, fields.length);

    if (own.length > 0) {
      assertThatThrownBy(
              () -> StateCodec.read(type, new FrameReader(Arrays.copyOf(own, own.length - 1))))
          .isInstanceOf(StateException.class);
    }
    assertThatThrownBy(
            () -> StateCodec.read(type, new FrameReader(Arrays.copyOf(own, own.length + 1))))
        .isInstanceOf(StateException.class);
  }

  @Test
  void type_thatNobodyKnows_isRefused() {
    for (int type : new int[] {0, 19, 0xffff}) {
      assertThatThrownBy(() -> StateCodec.read(type, new FrameReader(new byte[0])))
          .isInstanceOf(StateException.class)
          .hasMessageContaining("type=" + type);
    }
  }

  @Test
  void frames_ofManyLies_areReadOrRefusedAndNothingElse() throws Exception {
    long seed = 20260601;
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] frame = frame(items().get(random.nextInt(items().size())));
      for (int i = 0; i <= random.nextInt(4); i++) {
        int at = StateCodec.HEADER_BYTES + random.nextInt(frame.length);
        if (at < frame.length) {
          frame[at] = (byte) (random.nextBoolean() ? random.nextInt() : 0xff);
        }
      }
      try {
        StateItem item = read(frame);
        assertThat(item).as("seed=%d, round=%d", seed, round).isNotNull();
      } catch (StateException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
    }
  }

  @Test
  void text_withControlCharacters_hasNoneWhenRead() throws Exception {
    StateItem read = read(frame(new StateItem.Refused(List.of("a\u001b[31mb\n"))));

    assertThat(((StateItem.Refused) read).reasons()).containsExactly("a [31mb ");
  }
}
