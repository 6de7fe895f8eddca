package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.RingLayout;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of messages whose objects are not known. */
final class CallShapeTest {
  private static final CallShape SHAPE = new CallShape("nlbrw");

  private final List<MemoryRange> read = new ArrayList<>();
  private final List<MemoryRange> written = new ArrayList<>();

  private static byte[] message(long... words) {
    ByteBuffer bytes =
        ByteBuffer.allocate(RingLayout.HEADER_BYTES + 8 * words.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .position(RingLayout.HEADER_BYTES);
    for (long word : words) {
      bytes.putLong(word);
    }
    return bytes.array();
  }

  @Test
  void find_everyParameter_isPassed() {
    SHAPE.find(message(5, 2, 1, 2, 9, 0, 0, 64, 8, 128, 16), read, written);

    assertThat(read).containsExactly(new MemoryRange(64, 8));
    assertThat(written).containsExactly(new MemoryRange(128, 16));
  }

  @Test
  void find_rangesOfNothing_areNone() {
    SHAPE.find(message(5, 0, 0, 64, 0, 128, 0), read, written);

    assertThat(read).isEmpty();
    assertThat(written).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 100, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 61})
  void find_listLongerThanItsMessage_isRefused(long count) {
    assertThatThrownBy(() -> SHAPE.find(message(5, count, 0, 0, 0, 0, 0), read, written))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> SHAPE.find(message(5, 0, count, 0, 0, 0, 0), read, written))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void find_messageTooShortOrTooLong_isRefused() {
    assertThatThrownBy(() -> SHAPE.find(message(5, 0, 0, 64), read, written))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> SHAPE.find(message(5, 0, 0, 64, 0, 128, 0, 1), read, written))
        .isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> SHAPE.find(new byte[3], read, written))
        .isInstanceOf(ProtocolException.class);
  }
}
