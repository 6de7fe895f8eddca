package io.sluice.migrate.wire;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationLink;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The destination's end: listens, and puts connections together to links. Whoever connects has
 * shown a certificate of the authority before a byte of it is looked at.
 *
 * <p>Strangers take nothing from those who are known: connections without a certificate have a
 * limit of their own, and so have those that have one and have not said what they are for. What
 * belongs to a link, or is a tunnel that is waited for, is limited by the number of these.
 */
public final class LinkServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LinkServer.class);
  private final RefusalLog refusals = new RefusalLog(LOG, System::nanoTime);

  /** Connections at one time that have not come to the end of a stage of their beginning. */
  private static final int MAX_PENDING = 512;

  /** Those of one address: all streams of all links may come from one. */
  private static final int MAX_OF_ADDRESS =
      AcceptedLinks.MOST * (MigrationLink.MAX_DATA_STREAMS + 1) + 16;

  private final WireLoops loops;
  private final TlsFiles files;
  private volatile SslContext tls;
  private final Consumer<MigrationLink> onLink;
  private final Function<UUID, Optional<TunnelTargets.Awaited>> tunnels;
  private final SessionDoor sessions;
  private final Channel listener;

  /** Features that clients may use. */
  private final int offered = ZstdLibrary.unavailable() == null ? WireMessages.ZSTD : 0;

  private final AcceptedLinks links;
  private final PendingConnections unauthenticated;
  private final PendingConnections undecided;

  /** One to which no sessions of other hosts' guests come. */
  public LinkServer(
      WireLoops loops,
      InetSocketAddress address,
      TlsFiles files,
      Consumer<MigrationLink> onLink,
      Function<UUID, Optional<TunnelTargets.Awaited>> tunnels) {
    this(loops, address, files, onLink, tunnels, SessionDoor.CLOSED);
  }

  /**
   * Listens.
   *
   * @param address where
   * @param files who we are
   * @param onLink given each link when all of its streams are there, on an event loop
   * @param tunnels where the tunnel of an id ends
   * @param sessions where sessions of other hosts' guests come to
   * @throws RefusedException when a certificate cannot be used, or the address
   */
  public LinkServer(
      WireLoops loops,
      InetSocketAddress address,
      TlsFiles files,
      Consumer<MigrationLink> onLink,
      Function<UUID, Optional<TunnelTargets.Awaited>> tunnels,
      SessionDoor sessions) {
    this.loops = loops;
    this.sessions = sessions;
    this.onLink = onLink;
    this.tunnels = tunnels;
    this.files = files;
    tls = files.server();
    links =
        new AcceptedLinks(
            loops.frames(),
            loops::nowNs,
            (task, after) -> loops.group().schedule(task, after.toMillis(), TimeUnit.MILLISECONDS));
    unauthenticated =
        new PendingConnections("certificate", MAX_PENDING, MAX_OF_ADDRESS, links::hasAny);
    undecided = new PendingConnections("first word", MAX_PENDING, MAX_OF_ADDRESS, links::hasAny);
    ServerBootstrap bootstrap = new ServerBootstrap();
    bootstrap
        .group(loops.group())
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                accept(channel);
              }
            });
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw WireFailure.listen(address.toString(), bound.cause());
    }
    listener = bound.channel();
  }

  /**
   * Reads the files again: connections that come from now on are shown what is in them. Those that
   * stand go on.
   *
   * @throws RefusedException when they cannot be used; the former ones are shown then
   */
  public void renew() {
    tls = files.server();
  }

  /** The port it listens at. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  private void accept(Channel channel) {
    loops.configure(channel);
    unauthenticated.arrived(channel);
    SslHandler handler = tls.newHandler(channel.alloc());
    handler.setHandshakeTimeout(WireLoops.BEGINNING.toMillis(), TimeUnit.MILLISECONDS);
    var _ =
        channel
            .pipeline()
            .addLast(new FirstByte(), handler, WireLoops.beginning(), new WireCodec())
            .addLast(new FirstWord());
  }

  /** The handler that sees that a connection is not silent, before its certificate is known. */
  private final class FirstByte extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      unauthenticated.received(context.channel());
      context.fireChannelRead(message);
      context.pipeline().remove(this);
    }
  }

  /** The handler that waits for a HELLO and sees what it is about. */
  private final class FirstWord extends SimpleChannelInboundHandler<WireSection> {
    /** It has come; whoever has said it waits for the answer. */
    private boolean spoken;

    @Override
    protected void channelRead0(ChannelHandlerContext context, WireSection section) {
      try {
        if (spoken) {
          throw WireFailure.protocol("a second word before the answer to the first");
        }
        spoken = true;
        switch (section.id()) {
          case WireMessages.SESSION -> {
            String guest = WireMessages.session(section);
            SessionStream.accept(loops, context, sessions.place(PeerNames.of(context), guest));
          }
          case WireMessages.TRIAL ->
              SessionStream.accept(loops, context, sessions.trial(WireMessages.session(section)));
          default -> begin(context, WireMessages.hello(section));
        }
        undecided.passed(context.channel());
      } catch (RefusedException e) {
        refuse(context, e);
      }
    }

    private void begin(ChannelHandlerContext context, WireMessages.LinkHello hello) {
      switch (hello.role()) {
        case STREAM -> stream(context, hello);
        case TUNNEL -> tunnel(context, hello);
      }
    }

    private void refuse(ChannelHandlerContext context, RefusedException why) {
      refusals.refused(context.channel().remoteAddress(), why.getMessage());
      var _ = context.writeAndFlush(WireMessages.refused(why)).addListener(_ -> context.close());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event == BeginningTimeout.Event.OVER) {
        context.close();
      } else if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
        unauthenticated.passed(context.channel());
        undecided.arrived(context.channel());
      }
      context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
      RefusedException refusal = StreamHandler.refusal(thrown);
      SocketAddress peer = context.channel().remoteAddress();
      refusals.refused(
          peer,
          refusal == null
              ? WireFailure.connect(String.valueOf(peer), thrown).getMessage()
              : refusal.getMessage());
      context.close();
    }
  }

  // ---- streams ----

  private void stream(ChannelHandlerContext context, WireMessages.LinkHello hello) {
    AcceptedLinks.AcceptedLink incoming = links.find(hello, context.channel().remoteAddress());
    WireLink link = incoming.link;
    WireStream stream = link.streams().get(hello.stream());
    loops.keepAlive(context, "keep-alive");
    var _ =
        context
            .pipeline()
            .replace(
                context.handler(),
                "stream",
                new StreamHandler(link, stream, _ -> cut(stream, link)));
    int features = stream.number() == MigrationLink.CONTROL ? 0 : hello.features() & offered;
    // The peer goes on behind this count: nothing else may come before the new connection does.
    long received = stream.takeOver(context.channel(), hello.received());
    WireMessages.Welcome welcome = new WireMessages.Welcome(features, received);
    var _ = context.channel().writeAndFlush(WireMessages.welcome(welcome));
    if ((features & WireMessages.ZSTD) != 0) {
      var _ = context.channel().pipeline().addBefore("stream", "zstd", new PageCompression(link));
    }
    stream.pump(context.channel());
    if (links.addStream(incoming, hello.stream())) {
      onLink.accept(link);
    }
    if (link.isEnded()) {
      context.close(); // it has ended since it was found, and does not know of this connection
    }
    link.wake();
  }

  /** The source connects again, or the link ends. */
  private void cut(WireStream stream, WireLink link) {
    var _ =
        loops
            .group()
            .schedule(
                () -> {
                  if (!stream.isConnected()) {
                    link.fail(WireFailure.cut(link.peer(), WireLoops.MENDING.toSeconds()));
                  }
                },
                WireLoops.MENDING.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  // ---- tunnels ----

  private void tunnel(ChannelHandlerContext context, WireMessages.LinkHello hello) {
    TunnelTargets.Awaited awaited =
        tunnels
            .apply(hello.id())
            .orElseThrow(() ->
                new RefusedException(
                    WireCode.NO_TUNNEL, Errno.ENOENT, "nobody waits for this tunnel", ""));
    Relay.toSocket(loops, awaited, context, (hello.features() & WireMessages.COUNTED) != 0);
  }

  /** Ends listening, and every link. */
  @Override
  public void close() {
    var _ = listener.close().awaitUninterruptibly();
    links.all().forEach(WireLink::close);
  }

  /** For tests: the connection of a stream, if there is one. */
  @Nullable WireLink linkOf(UUID id) {
    return links.linkOf(id);
  }
}
