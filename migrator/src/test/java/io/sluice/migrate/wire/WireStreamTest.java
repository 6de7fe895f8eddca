package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Frames that come to a stream and that nobody takes. */
final class WireStreamTest {
  private static final int MIB = 1 << 20;
  private static final int SHORT_BYTES = 32 << 10;

  private final IncomingBudget budget = new IncomingBudget(4 * MIB);
  private final FrameMemory memory = new FrameMemory(false, 2, budget);

  private WireLink link(FrameMemory of) {
    return new WireLink(new UUID(1, 2), "the peer", 1, of, 0, () -> {});
  }

  private static EmbeddedChannel connect(WireStream stream) {
    EmbeddedChannel channel = new EmbeddedChannel();
    stream.attach(channel, 0);
    return channel;
  }

  private static void take(WireStream stream, EmbeddedChannel from, ByteBuffer payload) {
    stream.take(from, new WireSection(FrameType.PAGES.number(), 1, payload));
  }

  private static boolean reads(EmbeddedChannel channel) {
    return channel.config().isAutoRead();
  }

  @Test
  void take_shortFramesInLongBuffers_pausesAtWhatTheyHold() {
    FrameMemory own = new FrameMemory(false, 2);
    WireStream stream = link(own).streams().get(1);
    EmbeddedChannel channel = connect(stream);
    int frames = 0;
    while (!stream.isPaused()) {
      take(stream, channel, own.take(SHORT_BYTES));
      frames++;
    }
    assertThat((long) frames * FrameMemory.BYTES)
        .isLessThanOrEqualTo(WireStream.MAX_INCOMING_BYTES + FrameMemory.BYTES);
    assertThat(reads(channel)).isFalse();
  }

  @Test
  void take_pausedAndMoreComesThanAnyHonestPeerHasOnItsWay_isRefused() {
    WireStream stream = link(memory).streams().get(1);
    EmbeddedChannel channel = connect(stream);
    assertThatThrownBy(
            () -> {
              for (long held = 0; held <= WireStream.MOST_INCOMING_BYTES + MIB; held += MIB) {
                take(stream, channel, ByteBuffer.allocate(MIB));
              }
            })
        .hasMessageContaining("SLU-NET-001");
  }

  @Test
  void attach_whilePaused_doesNotReadTheNewConnectionEither() {
    WireStream stream = link(new FrameMemory(false, 2)).streams().get(1);
    EmbeddedChannel former = connect(stream);
    while (!stream.isPaused()) {
      take(stream, former, ByteBuffer.allocate(MIB));
    }
    EmbeddedChannel next = connect(stream);
    assertThat(reads(next)).isFalse();
    while (stream.poll() != null) {}
    assertThat(reads(next)).isTrue();
  }

  @Test
  void take_othersHoldAllThereIs_pausesAtItsShareAndGoesOnByItself() {
    WireLink greedy = link(memory);
    EmbeddedChannel full = connect(greedy.streams().get(1));
    while (!greedy.streams().get(1).isPaused()) {
      take(greedy.streams().get(1), full, ByteBuffer.allocate(MIB));
    }
    assertThat(budget.isFull()).isTrue();

    WireStream stream = link(memory).streams().get(1);
    EmbeddedChannel channel = connect(stream);
    take(stream, channel, ByteBuffer.allocate(MIB / 2));
    assertThat(reads(channel)).isTrue();
    take(stream, channel, ByteBuffer.allocate(MIB));
    assertThat(reads(channel)).isFalse();

    for (int i = 0; i < 2; i++) {
      Frame _ = Objects.requireNonNull(stream.poll());
    }
    assertThat(budget.isFull()).isTrue();
    assertThat(reads(channel)).isTrue();
  }

  @Test
  void close_framesWait_areCountedNoMoreAndAreStillHad() {
    WireLink link = link(memory);
    WireStream stream = link.streams().get(1);
    EmbeddedChannel channel = connect(stream);
    for (int i = 0; i < 3; i++) {
      take(stream, channel, ByteBuffer.allocate(MIB));
    }
    assertThat(budget.bytes()).isGreaterThan(3 * MIB);
    Frame _ = Objects.requireNonNull(stream.poll());
    link.close();
    assertThat(budget.bytes()).isZero();
    Frame _ = Objects.requireNonNull(stream.poll());
    assertThat(budget.bytes()).isZero();
  }
}
