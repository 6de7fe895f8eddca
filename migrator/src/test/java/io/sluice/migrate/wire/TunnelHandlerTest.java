package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who says when a connection is read, where its two ends have threads of their own. */
final class TunnelHandlerTest {
  private static final int SECONDS = 60;

  private final DefaultEventLoopGroup loops = new DefaultEventLoopGroup(1);
  private final EmbeddedChannel written = new EmbeddedChannel();

  @AfterEach
  void end() {
    written.close();
    var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  @Test
  void follow_otherIsFull_isNotRead() throws Exception {
    Channel read = registered();
    written.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    TunnelHandler.follow(read, written);
    settle(read);
    assertThat(read.config().isAutoRead()).isFalse();
  }

  /**
   * The reading thread has seen that there is no room, and says so only when there is room again.
   */
  @Test
  void follow_roomBetweenLookAndStop_isReadAgain() throws Exception {
    Channel read = registered();
    CountDownLatch looked = new CountDownLatch(1);
    CountDownLatch room = new CountDownLatch(1);
    var stopped =
        read.eventLoop()
            .submit(() -> {
              looked.countDown();
              boolean told = room.await(SECONDS, TimeUnit.SECONDS);
              read.config().setAutoRead(false);
              return told;
            });
    assertThat(looked.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    TunnelHandler.follow(read, written);
    room.countDown();
    assertThat(stopped.get(SECONDS, TimeUnit.SECONDS)).isTrue();
    settle(read);
    assertThat(read.config().isAutoRead()).isTrue();
  }

  private Channel registered() throws Exception {
    Channel channel = new LocalChannel();
    channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
    assertThat(loops.register(channel).await(SECONDS, TimeUnit.SECONDS)).isTrue();
    return channel;
  }

  /** Until its thread has done what it was given. */
  private static void settle(Channel channel) throws Exception {
    assertThat(channel.eventLoop().submit(() -> true).get(SECONDS, TimeUnit.SECONDS)).isTrue();
  }
}
