package io.sluice.migrate.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The closing of a TCP connection in such a way that what was said last is heard: why the peer is
 * refused, or the alert of TLS. A socket that is closed while something unread has come answers
 * with a reset, and that overtakes what was sent before (RFC 9112, section 9.6). So this side says
 * that it will say no more, and takes what comes, for nobody, until the peer ends too or some time
 * has passed.
 *
 * <p>And the other way round: when a peer that has ended takes no more, what it said before is read
 * all the same, for as long. The library would close the connection at the first write that fails,
 * and with it the reason.
 *
 * <p>The first handler of a connection: what is to be flushed has passed it before the close does.
 */
final class LingeringClose extends ChannelDuplexHandler {
  /** A peer has so long, of which a round trip is needed. */
  static final long MOST_MS = 500;

  private final long mostMs;
  private final BooleanSupplier atOnce;
  private boolean closing;

  /**
   * @param mostMs how long it waits for the peer's end
   * @param atOnce whether nobody has the time any more, because the loops end
   */
  LingeringClose(long mostMs, BooleanSupplier atOnce) {
    this.mostMs = mostMs;
    this.atOnce = atOnce;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    context.channel().config().setAutoClose(false);
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    if (!(context.channel() instanceof DuplexChannel channel)
        || !channel.isActive()
        || atOnce.getAsBoolean()) {
      var _ = context.close(promise);
      return;
    }
    var _ = channel.closeFuture().addListener(_ -> promise.trySuccess());
    if (closing) {
      return;
    }
    closing = true;
    takeWhatComes(context);
    var _ =
        context
            .writeAndFlush(Unpooled.EMPTY_BUFFER)
            .addListener(flushed -> {
              if (flushed.isSuccess()) {
                var _ = channel.shutdownOutput();
              } else {
                context.close();
              }
            });
  }

  /** Until the peer ends, but not for long. */
  private void takeWhatComes(ChannelHandlerContext context) {
    Future<?> end =
        context.executor().schedule(() -> context.close(), mostMs, TimeUnit.MILLISECONDS);
    var _ = context.channel().closeFuture().addListener(_ -> end.cancel(false));
    context.channel().config().setAutoRead(true);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelOutputShutdownEvent.INSTANCE && !closing) {
      takeWhatComes(context);
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (closing) {
      boolean _ = ReferenceCountUtil.release(message);
    } else {
      context.fireChannelRead(message);
    }
  }

  /** Nobody is told how a peer ends to whom nobody listens any more. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
    if (!closing) {
      context.fireExceptionCaught(thrown);
    }
  }
}
