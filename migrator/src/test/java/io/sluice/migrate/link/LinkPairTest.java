package io.sluice.migrate.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class LinkPairTest {
  private long now;
  private final LinkPair pair = new LinkPair(() -> now, 2);

  @Test
  void send_unequalDelays_reordersStreamsButNotOneStream() {
    pair.setDelays(0, 10, 5);
    pair.source().send(1, page(1));
    pair.source().send(2, page(2));
    pair.setDelays(0, 0, 5);
    pair.source().send(1, page(3));
    now = 5;
    assertThat(pair.target().poll(1)).isNull();
    assertThat(pair.target().poll(2)).isEqualTo(page(2));
    now = 10;
    assertThat(pair.target().poll(1)).isEqualTo(page(1));
    assertThat(pair.target().poll(1)).isEqualTo(page(3));
  }

  @Test
  void poll_damagedFrame_endsTheLinkForBoth() {
    pair.corruptNext();
    pair.source().send(1, page(1));
    assertThatThrownBy(() -> pair.target().poll(1)).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> pair.source().send(1, page(1))).isInstanceOf(RefusedException.class);
  }

  @Test
  void close_afterSend_leavesWhatHasArrived() {
    pair.source().send(0, Frame.of(FrameType.COMMIT));
    pair.source().close();
    assertThat(pair.target().poll(0)).isEqualTo(Frame.of(FrameType.COMMIT));
    assertThatThrownBy(() -> pair.target().poll(0)).isInstanceOf(RefusedException.class);
  }

  @Test
  void send_fullStream_isRefusedButControlIsNot() {
    pair.setQueueFrames(1);
    assertThat(pair.source().send(1, page(1))).isTrue();
    assertThat(pair.source().send(1, page(2))).isFalse();
    assertThat(pair.source().send(0, page(1))).isTrue();
    assertThat(pair.source().send(0, page(1))).isTrue();
  }

  @Test
  void numbers_always_areUniqueAndNoStateRecords() {
    assertThat(Arrays.stream(FrameType.values()).map(FrameType::number))
        .doesNotHaveDuplicates()
        .allMatch(number -> number >= 0x100);
    for (FrameType type : FrameType.values()) {
      assertThat(FrameType.of(type.number())).isEqualTo(type);
    }
    assertThat(FrameType.of(0)).isNull();
  }

  private static Frame page(int value) {
    return Frame.of(FrameType.PAGES, ByteBuffer.wrap(new byte[] {(byte) value}));
  }
}
