package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The submission ring against applications that write what they like. */
class SubmissionRingTest {
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(RingLayout.ARENA, 8);
  private final SubmissionRing ring = new SubmissionRing(memory);
  private final byte[] message = new byte[RingLayout.MESSAGE_BYTES];

  @AfterEach
  void free() {
    arena.close();
  }

  private void write(int offset, int bytes, int call) {
    memory.set(ValueLayout.JAVA_INT, RingLayout.RING + offset, bytes);
    memory.set(ValueLayout.JAVA_SHORT, RingLayout.RING + offset + 4, (short) call);
  }

  private void head(int value) {
    memory.set(ValueLayout.JAVA_INT, RingLayout.SUBMIT_HEAD, value);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 12, 17, -16, Integer.MIN_VALUE, RingLayout.MESSAGE_BYTES + 8, 1 << 20})
  void take_lengthThatCannotBe_breaksTheProtocol(int bytes) {
    write(0, bytes, 1);
    head(RingLayout.RING_BYTES);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {-8, RingLayout.RING_BYTES + 8, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void take_headBeyondTheRing_breaksTheProtocol(int head) {
    write(0, 16, 1);
    head(head);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void take_messageLongerThanWhatIsWritten_breaksTheProtocol() {
    write(0, 32, 1);
    head(24);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void take_messageAcrossTheEnd_breaksTheProtocol() {
    fillTo(RingLayout.RING_BYTES - 16);
    write(RingLayout.RING_BYTES - 16, 32, 1);
    head(RingLayout.RING_BYTES + 16);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void take_paddingThatEndsBeforeTheRing_breaksTheProtocol() {
    fillTo(RingLayout.RING_BYTES - 64);
    write(RingLayout.RING_BYTES - 64, 32, 0);
    head(RingLayout.RING_BYTES - 32);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  /** Of such a writer may make as many as it likes, each where the last one was. */
  @Test
  void take_paddingOfAWholeRing_breaksTheProtocol() {
    write(0, RingLayout.RING_BYTES, 0);
    head(RingLayout.RING_BYTES);

    assertThatThrownBy(() -> ring.take(message)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void take_padding_isSkipped() {
    fillTo(RingLayout.RING_BYTES - 64);
    write(RingLayout.RING_BYTES - 64, 64, 0);
    write(0, 24, 7);
    head(RingLayout.RING_BYTES + 24);

    assertThat(ring.take(message)).isEqualTo(24);
    assertThat(message[4]).isEqualTo((byte) 7);
    assertThat(ring.take(message)).isZero();
  }

  @Test
  void nextCall_isThatOfTheMessageTakenNext() {
    assertThat(ring.nextCall()).as("none").isZero();
    write(0, 24, 5);
    head(24);
    assertThat(ring.nextCall()).isEqualTo(5);
    assertThat(ring.take(message)).isEqualTo(24);
    assertThat(ring.nextCall()).as("none").isZero();
  }

  @Test
  void nextCall_behindPadding_isThatBehindIt() {
    fillTo(RingLayout.RING_BYTES - 64);
    write(RingLayout.RING_BYTES - 64, 64, 0);
    write(0, 24, 7);
    head(RingLayout.RING_BYTES);
    assertThat(ring.nextCall()).as("padding alone").isZero();
    head(RingLayout.RING_BYTES + 24);
    assertThat(ring.nextCall()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {-8, 1, 4, 15, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void nextCall_headThatCannotBe_isLeftToTake(int head) {
    head(head);
    assertThat(ring.nextCall()).isZero();
  }

  @Test
  void take_manyRounds_goesOnWhereTheCounterWraps() {
    int at = 0;
    for (int i = 0; i < 3 * RingLayout.RING_BYTES / 4096; i++) {
      write(at & RingLayout.RING_BYTES - 1, 4096, i % 100 + 1);
      at += 4096;
      head(at);
      assertThat(ring.take(message)).isEqualTo(4096);
      assertThat(message[4]).isEqualTo((byte) (i % 100 + 1));
    }
  }

  @Test
  void take_forgedTail_changesNothing() {
    write(0, 16, 1);
    head(16);
    memory.set(ValueLayout.JAVA_INT, RingLayout.SUBMIT_TAIL, 4096);

    assertThat(ring.take(message)).isEqualTo(16);
    assertThat(memory.get(ValueLayout.JAVA_INT, RingLayout.SUBMIT_TAIL)).isEqualTo(16);
  }

  @Test
  void take_messageThatIsRewrittenOnceTaken_staysAsItWas() {
    write(0, 24, 7);
    memory.set(ValueLayout.JAVA_LONG, RingLayout.RING + RingLayout.HEADER_BYTES, 42);
    write(24, 16, 8);
    head(40);
    assertThat(ring.take(message)).isEqualTo(24);
    byte[] taken = message.clone();

    memory.asSlice(RingLayout.RING, 24).fill((byte) 0xff);

    assertThat(message).isEqualTo(taken);
    assertThat(ring.take(message))
        .isEqualTo(16); // where it began does not come of what stands there
    assertThat(message[4]).isEqualTo((byte) 8);
  }

  /** Takes padding and messages until the tail is at an offset. */
  private void fillTo(int offset) {
    for (int at = 0; at < offset; ) {
      int bytes = Math.min(RingLayout.MESSAGE_BYTES, offset - at);
      write(at, bytes, 1);
      at += bytes;
      head(at);
      assertThat(ring.take(message)).isEqualTo(bytes);
    }
  }
}
