package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is refused hears why, although it goes on talking; and who never ends is not waited for. */
final class LingeringCloseTest {
  private static final int SECONDS = 60;
  private static final int WORD = 42;

  /** More than the sockets of both sides take. */
  private static final byte[] MUCH = new byte[16 << 20];

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final CompletableFuture<Channel> closed = new CompletableFuture<>();
  private Channel listener;

  /** Says one word to whatever comes, and closes the connection; twice, as handlers do. */
  private final class Refuser extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
      var _ = context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {WORD}));
      var _ = context.close();
      ChannelFuture again = context.close();
      var _ = again.addListener(_ -> closed.complete(context.channel()));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
      closed.completeExceptionally(thrown);
    }
  }

  @BeforeEach
  void listen() {
    ServerBootstrap bootstrap = new ServerBootstrap();
    bootstrap
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new LingeringClose(() -> false), new Refuser());
              }
            });
    listener =
        bootstrap
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  @AfterEach
  void end() {
    listener.close().awaitUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Socket connected() throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(SECONDS * 1000);
    socket.connect(listener.localAddress());
    return socket;
  }

  @Test
  void close_peerThatTalksOn_hearsTheLastWordAndTheEnd() throws Exception {
    try (Socket peer = connected()) {
      peer.getOutputStream().write(MUCH);
      assertThat(peer.getInputStream().readAllBytes()).containsExactly(WORD);
    }
    assertThat(closed.get(SECONDS, TimeUnit.SECONDS).isOpen()).isFalse();
  }

  @Test
  void close_peerThatNeverEnds_isNotWaitedForLong() throws Exception {
    try (Socket peer = connected()) {
      peer.getOutputStream().write(1);
      assertThat(closed.get(SECONDS, TimeUnit.SECONDS).isOpen()).isFalse();
      assertThat(peer.getInputStream().readAllBytes()).containsExactly(WORD);
    }
  }

  @Test
  void close_peerThatResets_endsWithoutAWord() throws Exception {
    try (Socket peer = connected()) {
      peer.setSoLinger(true, 0);
      peer.getOutputStream().write(1);
    }
    assertThat(closed.get(SECONDS, TimeUnit.SECONDS).isOpen()).isFalse();
  }
}
