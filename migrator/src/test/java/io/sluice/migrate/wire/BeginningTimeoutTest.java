package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The time for a connection's first words, by a clock of the test's. */
final class BeginningTimeoutTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<Object> told = new ArrayList<>();

  @BeforeEach
  void handshake() {
    channel.freezeTime();
    var _ =
        channel
            .pipeline()
            .addLast("beginning", WireLoops.beginning())
            .addLast(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void userEventTriggered(ChannelHandlerContext context, Object event) {
                    told.add(event);
                  }
                });
    var _ = channel.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    told.clear();
  }

  @AfterEach
  void close() {
    boolean _ = channel.finishAndReleaseAll();
  }

  private void trickle(long seconds) {
    for (long i = 0; i < seconds; i++) {
      channel.advanceTimeBy(1, TimeUnit.SECONDS);
      channel.runScheduledPendingTasks();
      channel.writeInbound(Unpooled.wrappedBuffer(new byte[1]));
    }
  }

  @Test
  void words_trickleIn_haveNoMoreTimeThanSilenceHas() {
    trickle(WireLoops.BEGINNING.toSeconds() - 1);
    assertThat(told).isEmpty();
    trickle(1);
    assertThat(told).containsExactly(BeginningTimeout.Event.OVER);
  }

  @Test
  void removed_beginningHasEnded_tellsNothing() {
    var _ = channel.pipeline().remove("beginning");
    trickle(2 * WireLoops.BEGINNING.toSeconds());
    assertThat(told).isEmpty();
  }
}
