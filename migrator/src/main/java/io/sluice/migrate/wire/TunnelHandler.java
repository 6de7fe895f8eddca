package io.sluice.migrate.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of two connections that are one tunnel: it is read no faster than the other one takes what is
 * handed on, and what ends one ends the other, behind what was handed on.
 */
abstract class TunnelHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelHandler.class);

  final Channel other;

  TunnelHandler(Channel other) {
    this.other = other;
  }

  /**
   * Has a connection read if what it says can be written to the other one, and only then. That is
   * found out by the thread that reads: another one might say that there is room again before the
   * reading one has said that there was none, and the connection would never be read again.
   */
  static void follow(Channel read, Channel written) {
    if (read.eventLoop().inEventLoop()) {
      read.config().setAutoRead(written.isWritable());
    } else {
      read.eventLoop().execute(() -> read.config().setAutoRead(written.isWritable()));
    }
  }

  /** After something was handed on: this connection is not read while the other one is full. */
  final void pauseIfFull(ChannelHandlerContext context) {
    if (!other.isWritable()) {
      context.channel().config().setAutoRead(false);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    other.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    follow(other, context.channel());
    context.fireChannelWritabilityChanged();
  }

  @Override
  public final void channelInactive(ChannelHandlerContext context) {
    if (other.isActive()) {
      var _ = other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
    LOG.atDebug().log("a tunnel was cut", thrown);
    context.close();
  }
}
