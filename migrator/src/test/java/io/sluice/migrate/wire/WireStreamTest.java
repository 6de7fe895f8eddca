package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

  /** The peer sends again what it is not told of here. */
  @Test
  void takeOver_formerConnectionBringsMore_isNotTaken() {
    WireStream stream = link(memory).streams().get(1);
    EmbeddedChannel former = connect(stream);
    take(stream, former, ByteBuffer.allocate(1));
    EmbeddedChannel next = new EmbeddedChannel();
    assertThat(stream.takeOver(next, 0)).isEqualTo(1);
    take(stream, former, ByteBuffer.allocate(1));
    assertThat(stream.received()).isEqualTo(1);
    assertThat(former.isOpen()).isFalse();
    take(stream, next, ByteBuffer.allocate(1));
    assertThat(stream.received()).isEqualTo(2);
  }

  @Test
  void takeOver_framesWait_noneIsWrittenBeforeThePeerIsTold() {
    WireLink link = link(memory);
    WireStream stream = link.streams().get(1);
    assertThat(link.send(1, Frame.of(FrameType.BARRIER))).isTrue();
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThat(stream.takeOver(channel, 0)).isZero();
    channel.runPendingTasks();
    assertThat(channel.outboundMessages()).isEmpty();
    stream.pump(channel);
    assertThat(channel.outboundMessages()).hasSize(1);
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

  /** A mebibyte of zeros is some tens of bytes: many come by one read, behind the pause. */
  @Test
  void read_packedFramesBehindAPause_areUnpackedOnlyWhenThereIsRoom() {
    int frames = 200;
    FrameMemory own = new FrameMemory(false, 2, new IncomingBudget(1L << 30));
    WireLink link = link(own);
    WireStream stream = link.streams().get(1);
    EmbeddedChannel channel =
        new EmbeddedChannel(new PageCompression(link), new StreamHandler(link, stream, _ -> {}));
    stream.attach(channel, 0);
    for (int i = 1; i <= frames; i++) {
      channel.writeOneInbound(packed(i));
    }
    channel.flushInbound();
    assertThat(stream.isPaused()).isTrue();
    assertThat(own.incoming().bytes())
        .as("a frame more than there is room for, and what is packed")
        .isLessThan(WireStream.MAX_INCOMING_BYTES + 2 * MIB);
    assertThat(link.failure()).isEmpty();
    for (int i = 1; i <= frames; i++) {
      Frame frame = Objects.requireNonNull(stream.poll(), "frame " + i);
      assertThat(frame.version()).isEqualTo(i);
      channel.runPendingTasks();
      assertThat(own.incoming().bytes()).isLessThan(WireStream.MAX_INCOMING_BYTES + 2 * MIB);
    }
    assertThat(own.incoming().bytes()).isZero();
    assertThat(stream.received()).isEqualTo(frames);
  }

  @Test
  void read_connectionEndsBehindAPause_whatWaitsIsCountedNoMore() {
    FrameMemory own = new FrameMemory(false, 2, new IncomingBudget(1L << 30));
    WireLink link = link(own);
    WireStream stream = link.streams().get(1);
    EmbeddedChannel channel =
        new EmbeddedChannel(new PageCompression(link), new StreamHandler(link, stream, _ -> {}));
    stream.attach(channel, 0);
    for (int i = 1; i <= 100; i++) {
      channel.writeOneInbound(packed(i));
    }
    link.close();
    assertThat(channel.finishAndReleaseAll()).isIn(true, false);
    assertThat(own.incoming().bytes()).isZero();
  }

  @Test
  void read_moreBehindAPauseThanAReadBrings_isRefused() {
    WireLink link = link(new FrameMemory(false, 2, new IncomingBudget(1L << 30)));
    WireStream stream = link.streams().get(1);
    EmbeddedChannel channel =
        new EmbeddedChannel(new PageCompression(link), new StreamHandler(link, stream, _ -> {}));
    stream.attach(channel, 0);
    for (int i = 1; i <= 60 && link.failure().isEmpty(); i++) {
      channel.writeOneInbound(
          new WireSection(FrameType.PAGES.number(), 1, ByteBuffer.allocate(MIB)));
    }
    assertThat(link.failure()).isPresent();
  }

  /** A mebibyte of zeros. */
  private static WireSection packed(int version) {
    byte[] zeros = Zstd.compress(new byte[MIB]);
    ByteBuffer payload = ByteBuffer.allocate(12 + zeros.length).order(ByteOrder.LITTLE_ENDIAN);
    payload.putInt(FrameType.PAGES.number()).putInt(version).putInt(MIB).put(zeros).flip();
    return new WireSection(PageCompression.COMPRESSED, 1, payload);
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
