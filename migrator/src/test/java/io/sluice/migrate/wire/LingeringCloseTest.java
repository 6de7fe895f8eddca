package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The last words of connections: who is refused hears why, although it goes on talking; what a peer
 * said is heard, although it takes no more; and who never ends is not waited for.
 */
final class LingeringCloseTest {
  private static final int SECONDS = 60;
  private static final int WORD = 42;

  /** More than the sockets of both sides take. */
  private static final byte[] MUCH = new byte[16 << 20];

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final CompletableFuture<Channel> closed = new CompletableFuture<>();
  private final CompletableFuture<Channel> talker = new CompletableFuture<>();
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream(); // of the loop
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

  /** Says one word, and when it is told to says much more; it hears only what comes after that. */
  private final class Talker extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      context.channel().config().setAutoRead(false);
      var _ = context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {WORD}));
      talker.complete(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      heard.write(ByteBufUtil.getBytes((ByteBuf) message), 0, ((ByteBuf) message).readableBytes());
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      closed.complete(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
      context.close();
    }
  }

  @BeforeEach
  void listen() {
    listen(LingeringClose.MOST_MS, Refuser::new);
  }

  private void listenAgain(long mostMs, Supplier<ChannelHandler> said) {
    listener.close().syncUninterruptibly();
    listen(mostMs, said);
  }

  private void listen(long mostMs, Supplier<ChannelHandler> said) {
    ServerBootstrap bootstrap = new ServerBootstrap();
    bootstrap
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new LingeringClose(mostMs, () -> false), said.get());
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
    listenAgain(SECONDS * 1000, Refuser::new);
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

  @Test
  void write_peerThatHasEnded_whatItSaidIsHeard() throws Exception {
    listenAgain(SECONDS * 1000, Talker::new);
    try (Socket peer = connected()) {
      peer.getOutputStream().write(WORD);
      assertThat(talker.get(SECONDS, TimeUnit.SECONDS).isActive()).isTrue();
      WireRig.soon().until(() -> peer.getInputStream().available() > 0);
    } // what it has not read has its end be a reset
    ChannelFuture written = talker.get().writeAndFlush(Unpooled.wrappedBuffer(MUCH));
    assertThat(closed.get(SECONDS, TimeUnit.SECONDS).isOpen()).isFalse();
    assertThat(written.isSuccess()).isFalse();
    assertThat(heard.toByteArray()).containsExactly(WORD);
  }

  @Test
  void write_peerThatTakesNoMoreAndNeverEnds_isNotWaitedForLong() throws Exception {
    listenAgain(LingeringClose.MOST_MS, Talker::new);
    try (Socket peer = connected()) {
      Channel channel = talker.get(SECONDS, TimeUnit.SECONDS);
      var _ = ((DuplexChannel) channel).shutdownOutput();
      assertThat(closed.get(SECONDS, TimeUnit.SECONDS).isOpen()).isFalse();
      assertThat(peer.getInputStream().readAllBytes()).containsExactly(WORD);
    }
  }
}
