package io.sluice.migrate.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** The streams of sessions between two hosts: bytes both ways, from a socket to a socket. */
public final class SessionStream {
  private SessionStream() {}

  /**
   * Asks another daemon to take a session, and joins its stream to a socket.
   *
   * @param client to that daemon
   * @param guest whose session it is
   * @param socket where somebody listens
   * @return done when the stream stands; fails with a {@link RefusedException}
   */
  public static CompletableFuture<Void> open(LinkClient client, String guest, Path socket) {
    return open(client, WireMessages.session(WireMessages.SESSION, guest), socket);
  }

  /** As {@link #open}, to ask whether a session of the guest's machine could come. */
  public static CompletableFuture<Void> openTrial(LinkClient client, String guest, Path socket) {
    return open(client, WireMessages.session(WireMessages.TRIAL, guest), socket);
  }

  private static CompletableFuture<Void> open(LinkClient client, WireSection hello, Path socket) {
    CompletableFuture<Void> open = new CompletableFuture<>();
    var _ =
        Relay.connect(client.loops(), client.loops().group(), socket)
            .addListener(
                (ChannelFutureListener)
                    connected -> {
                      if (connected.isSuccess()) {
                        open(client, hello, connected.channel(), open);
                      } else {
                        open.completeExceptionally(absent(connected));
                      }
                    });
    return open;
  }

  private static void open(
      LinkClient client, WireSection hello, Channel plain, CompletableFuture<Void> open) {
    client.connect(
        true,
        hello,
        (context, _) -> {
          Relay.splice(context, plain);
          open.complete(null);
        },
        (why, _) -> {
          plain.close();
          open.completeExceptionally(why);
        });
  }

  /** The end of one at the other daemon. */
  static void accept(WireLoops loops, ChannelHandlerContext context, Path socket) {
    Channel tunnel = context.channel();
    tunnel.config().setAutoRead(false);
    var _ =
        Relay.connect(loops, tunnel.eventLoop(), socket)
            .addListener(
                (ChannelFutureListener)
                    connected -> {
                      Channel plain = connected.channel();
                      if (connected.isSuccess()) {
                        Relay.join(tunnel, plain, () -> welcome(context, plain));
                      } else {
                        var _ =
                            tunnel
                                .writeAndFlush(WireMessages.refused(absent(connected)))
                                .addListener(ChannelFutureListener.CLOSE);
                      }
                    });
  }

  private static void welcome(ChannelHandlerContext context, Channel plain) {
    var _ = context.channel().writeAndFlush(WireMessages.welcome(new WireMessages.Welcome(0, 0)));
    Relay.splice(context, plain);
  }

  private static RefusedException absent(ChannelFuture connected) {
    Throwable cause = connected.cause();
    return new RefusedException(
        WireCode.ENDED,
        Errno.ENOTCONN,
        "nobody takes a session's stream, reason=" + (cause == null ? "" : cause.getMessage()),
        "");
  }
}
