package io.sluice.migrate.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The relay of bytes from one connection to another, no faster than that takes them. */
final class Relay extends TunnelHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private Relay(Channel other) {
    super(other);
  }

  /**
   * Makes one connection of one that has spoken in sections and one of plain bytes. What came
   * behind the last section is handed on.
   */
  static void splice(ChannelHandlerContext sections, Channel plain) {
    Channel tunnel = sections.channel();
    ChannelPipeline pipeline = sections.pipeline();
    var _ = plain.pipeline().addLast(new Relay(tunnel));
    var _ = pipeline.addLast(new Relay(plain));
    var _ = pipeline.remove(BeginningTimeout.class);
    var _ = pipeline.remove(sections.handler());
    var _ = pipeline.remove(WireCodec.class);
    tunnel.config().setAutoRead(true);
    plain.config().setAutoRead(true);
  }

  /**
   * The destination's end of a tunnel: connects to a socket, then says welcome.
   *
   * @param awaited the socket, and who is told why the tunnel ends
   * @param counted whether the source would be told what was handed on
   */
  static void toSocket(
      WireLoops loops,
      TunnelTargets.Awaited awaited,
      ChannelHandlerContext context,
      boolean counted) {
    Channel tunnel = context.channel();
    tunnel.config().setAutoRead(false);
    var _ =
        connect(loops, tunnel.eventLoop(), awaited.socket())
            .addListener(
                (ChannelFutureListener)
                    connected -> {
                      if (!connected.isSuccess()) {
                        LOG.atWarn().log("a tunnel's end cannot be reached", connected.cause());
                        var _ =
                            tunnel
                                .writeAndFlush(
                                    WireMessages.refused(
                                        new RefusedException(
                                            WireCode.NO_QEMU,
                                            Errno.ECONNREFUSED,
                                            "QEMU does not listen, reason="
                                                + connected.cause().getMessage(),
                                            "")))
                                .addListener(ChannelFutureListener.CLOSE);
                        return;
                      }
                      Channel machine = connected.channel();
                      join(tunnel, machine, () -> begin(context, machine, awaited, counted));
                    });
  }

  private static void begin(
      ChannelHandlerContext context,
      Channel machine,
      TunnelTargets.Awaited awaited,
      boolean counted) {
    TunnelEnd end = new TunnelEnd(machine, awaited.onCut());
    var _ = context.pipeline().addBefore(context.name(), TunnelEnd.NAME, end);
    int features = counted ? WireMessages.COUNTED : 0;
    var _ =
        context
            .channel()
            .writeAndFlush(WireMessages.welcome(new WireMessages.Welcome(features, 0)));
    if (counted) {
      CountedTunnel.atDestination(context, machine);
    } else {
      splice(context, machine);
    }
  }

  /**
   * Makes one connection of two, if the first still stands. Otherwise, and when that fails, neither
   * stays: nobody else knows of the second.
   *
   * @param joining what does it
   */
  static void join(Channel tunnel, Channel plain, Runnable joining) {
    boolean joined = false;
    try {
      if (tunnel.isActive()) {
        joining.run();
        joined = true;
      }
    } finally {
      if (!joined) {
        var _ = plain.close();
        var _ = tunnel.close();
      }
    }
  }

  /** A connection to a socket, which is not read yet. */
  static ChannelFuture connect(WireLoops loops, EventLoopGroup group, Path socket) {
    return new Bootstrap()
        .group(group)
        .channel(NioDomainSocketChannel.class)
        .option(ChannelOption.AUTO_READ, false)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel plain) {
                loops.keep(plain);
              }
            })
        .connect(UnixDomainSocketAddress.of(socket));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    var _ = other.write(message);
    pauseIfFull(context);
  }
}
