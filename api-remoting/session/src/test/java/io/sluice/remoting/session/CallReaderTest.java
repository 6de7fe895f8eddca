package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Parameters against messages that lie about themselves. */
class CallReaderTest {
  private static final ObjectKind THING = new ObjectKind(1, "thing", 100);

  private final ObjectTable objects = new ObjectTable(List.of(THING));
  private final CallReader reader = new CallReader(objects, new SharedMemory(new FakeKernel(), 0));

  private void message(long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(RingLayout.HEADER_BYTES + 8 * words.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.position(RingLayout.HEADER_BYTES);
    for (long word : words) {
      bytes.putLong(word);
    }
    reader.load(bytes.array());
  }

  @Test
  void readLongs_countBeyondTheMessage_breaksTheProtocol() {
    for (long count : new long[] {-1, 2, 1L << 61, Long.MAX_VALUE, Long.MIN_VALUE}) {
      message(count, 7);
      assertThatThrownBy(reader::readLongs).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void readBytes_countBeyondTheMessage_breaksTheProtocol() {
    for (long count : new long[] {-1, 9, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE}) {
      message(count, 7);
      assertThatThrownBy(reader::readBytes).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void readNew_indexThatIsReserved_isNoSuchObject() {
    objects.reserve(THING, 5);

    message(5);
    assertThatThrownBy(() -> reader.readNew(THING)).isInstanceOf(NoSuchObjectException.class);
    message(5);
    assertThatThrownBy(() -> reader.readObject(THING)).isInstanceOf(NoSuchObjectException.class);
    assertThat(objects.count(THING)).isZero();

    objects.unreserve(THING, 5);
    message(5);
    assertThat(reader.readNew(THING)).isEqualTo(5);
  }

  @Test
  void readString_zeroWithin_breaksTheProtocol() {
    message(3, 0x410041);
    assertThatThrownBy(reader::readString).isInstanceOf(ProtocolException.class);
  }

  @Test
  void readObject_indexOutside_isNoSuchObject() {
    for (long index : new long[] {0, 1, 101, -1, 1L << 32 | 1, Long.MIN_VALUE}) {
      message(index);
      assertThatThrownBy(() -> reader.readObject(THING)).isInstanceOf(NoSuchObjectException.class);
    }
  }

  @Test
  void end_something_left_breaksTheProtocol() {
    message(1, 2);
    assertThat(reader.readLong()).isEqualTo(1);
    assertThatThrownBy(reader::end).isInstanceOf(ProtocolException.class);
  }

  @Test
  void read_ringThatIsRewrittenMeanwhile_hasWhatWasTaken() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ring = arena.allocate(RingLayout.ARENA, 8);
      ring.set(ValueLayout.JAVA_INT, RingLayout.RING, RingLayout.HEADER_BYTES + 24);
      ring.set(ValueLayout.JAVA_SHORT, RingLayout.RING + 4, (short) 7);
      MemorySegment parameters = ring.asSlice(RingLayout.RING + RingLayout.HEADER_BYTES);
      for (int i = 0; i < 3; i++) {
        parameters.setAtIndex(ValueLayout.JAVA_LONG, i, i == 0 ? 2 : 40 + i);
      }
      ring.set(ValueLayout.JAVA_INT, RingLayout.SUBMIT_HEAD, RingLayout.HEADER_BYTES + 24);
      assertThat(reader.next(new SubmissionRing(ring))).isTrue();

      ring.fill((byte) 0xff);

      assertThat(reader.call()).isEqualTo(7);
      assertThat(reader.answerSlot()).isZero();
      assertThat(reader.readLongs()).containsExactly(41, 42);
      reader.end();
    }
  }

  @Test
  @ExtendWith(Seeds.class)
  void read_whateverStandsThere_endsInTheTwoExceptionsOnly(RandomGenerator random) {
    for (int round = 0; round < 2000; round++) {
      long[] words = new long[random.nextInt(1, 20)];
      for (int i = 0; i < words.length; i++) {
        words[i] = random.nextBoolean() ? random.nextLong() : random.nextLong(0, 40);
      }
      message(words);
      try {
        for (int i = 0; i < 8; i++) {
          readAny(random);
        }
      } catch (ProtocolException | NoSuchObjectException _) {
        // as it should be
      }
    }
  }

  private void readAny(RandomGenerator random) {
    switch (random.nextInt(8)) {
      case 0 -> reader.readInt();
      case 1 -> reader.readNew(THING);
      case 2 -> reader.readOptional(THING);
      case 3 -> reader.readObjects(THING);
      case 4 -> reader.readOptionalRange();
      case 5 -> reader.readString();
      case 6 -> reader.readBytes();
      default -> reader.readLongs();
    }
  }
}
