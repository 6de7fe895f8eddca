package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.FrameType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Links of which streams come or do not; the test says when their time is over. */
final class AcceptedLinksTest {
  private static final SocketAddress PEER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);

  private final IncomingBudget budget = new IncomingBudget(1 << 30);
  private final List<FutureTask<?>> deadlines = new ArrayList<>();
  private final AcceptedLinks links =
      new AcceptedLinks(
          new FrameMemory(false, 2, budget),
          () -> 0,
          (task, _) -> {
            FutureTask<?> made = new FutureTask<>(task, "");
            deadlines.add(made);
            return made;
          });

  private AcceptedLinks.AcceptedLink find(long id, int stream) {
    return links.find(
        new WireMessages.LinkHello(1, WireMessages.Role.STREAM, stream, 1, 0, new UUID(0, id), 0),
        PEER);
  }

  @Test
  void deadline_streamNeverComes_linkIsEndedAndWhatCameForgotten() {
    AcceptedLinks.AcceptedLink incoming = find(1, 0);
    EmbeddedChannel channel = new EmbeddedChannel();
    WireStream stream = incoming.link.streams().get(0);
    stream.attach(channel, 0);
    stream.take(
        channel, new WireSection(FrameType.STATE.number(), 1, ByteBuffer.allocate(1 << 20)));
    assertThat(links.addStream(incoming, 0)).isFalse();
    assertThat(budget.bytes()).isPositive();

    deadlines.getFirst().run();

    RefusedException why = incoming.link.failure().orElseThrow();
    assertThat(why.code()).isEqualTo("SLU-NET-016");
    assertThat(why.what()).contains("streams missing=1");
    assertThat(links.linkOf(new UUID(0, 1))).isNull();
    assertThat(budget.bytes()).isZero();
    assertThatThrownBy(() -> incoming.link.poll(0)).isEqualTo(why);
    assertThat(links.addStream(incoming, 1)).isFalse();
    WireSection word = channel.readOutbound();
    assertThat(word.id()).isEqualTo(WireMessages.REFUSED);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void deadline_linkIsWhole_isNone() {
    AcceptedLinks.AcceptedLink incoming = find(1, 0);
    assertThat(links.addStream(incoming, 0)).isFalse();
    assertThat(links.addStream(find(1, 1), 1)).isTrue();
    assertThat(deadlines.getFirst().isCancelled()).isTrue();
    deadlines.getFirst().run();
    assertThat(incoming.link.failure()).isEmpty();
  }

  /** It would keep what came over the link for as long as it waits. */
  @Test
  void deadline_linkEndsBefore_isNone() {
    AcceptedLinks.AcceptedLink incoming = find(1, 0);
    incoming.link.close();
    assertThat(deadlines.getFirst().isCancelled()).isTrue();
  }

  @Test
  void find_asManyAsMayBeThatAreNeverWhole_areNotInTheWayForEver() {
    for (int i = 0; i < AcceptedLinks.MOST; i++) {
      var _ = find(i, 0);
    }
    assertThatThrownBy(() -> find(99, 0)).hasMessageContaining("SLU-NET-011");
    deadlines.getFirst().run();
    assertThat(find(99, 0).link.failure()).isEmpty();
  }
}
