package io.sluice.migrate.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.traffic.GlobalTrafficShapingHandler;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationLink;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The source's end: connects a link's streams, and connects them again when they are cut. Tunnels
 * go the same way.
 */
public final class LinkClient implements AutoCloseable {
  private static final long RETRY_MS = 200;

  private final WireLoops loops;
  private final String host;
  private final int port;
  private final SslContext tls;
  private final @Nullable GlobalTrafficShapingHandler limit;
  private final boolean compress;

  /**
   * @param host of the destination; its certificate must be for this name
   * @param files who we are
   * @param bytesPerSecond most that is sent over all streams of pages and tunnels together; 0 for
   *     no limit
   * @param compress whether pages are compressed, if the other side can take them so
   * @throws RefusedException when a certificate cannot be used, or this machine cannot compress
   */
  public LinkClient(
      WireLoops loops,
      String host,
      int port,
      TlsFiles files,
      long bytesPerSecond,
      boolean compress) {
    String why = compress ? ZstdLibrary.unavailable() : null;
    if (why != null) {
      throw new RefusedException(
          WireCode.NO_ZSTD,
          Errno.EOPNOTSUPP,
          "zstd is not to be had here, reason=" + why,
          "Start Java with --enable-native-access=com.github.luben.zstd_jni, or do not compress.");
    }
    this.compress = compress;
    this.loops = loops;
    this.host = host;
    this.port = port;
    tls = files.client();
    limit = loops.limit(bytesPerSecond);
  }

  String peer() {
    return host + ":" + port;
  }

  WireLoops loops() {
    return loops;
  }

  /**
   * A new link. It can be used at once; that nobody is there shows as its failure.
   *
   * <p>The streams of pages are connected when the control stream is: connections go to each side's
   * event loops in turn, so that streams of pages are then spread over them evenly, whichever comes
   * first.
   *
   * @param id drawn at random: who knows it can take part in the link
   * @param dataStreams 1 to {@link MigrationLink#MAX_DATA_STREAMS}
   */
  public MigrationLink link(UUID id, int dataStreams) {
    WireLink link = new WireLink(id, peer(), dataStreams, loops.frames(), loops.nowNs(), () -> {});
    new Attempts(link, link.streams().get(MigrationLink.CONTROL)).connect();
    return link;
  }

  /**
   * Connects once.
   *
   * @param limited whether what is sent counts against the bandwidth and waits for it
   * @param first what is said first
   * @param begin receives the connection when the peer has welcomed it, on its event loop
   * @param failed told, at most once, of a connection that did not come about
   */
  void connect(boolean limited, WireSection first, Begin begin, Failed failed) {
    Bootstrap bootstrap = new Bootstrap();
    bootstrap
        .group(loops.group())
        .channel(NioSocketChannel.class)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) WireLoops.BEGINNING.toMillis())
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                loops.configure(channel);
                if (limited && limit != null) {
                  var _ = channel.pipeline().addLast(limit);
                }
                SslHandler handler = tls.newHandler(channel.alloc(), host, port);
                handler.setHandshakeTimeout(WireLoops.BEGINNING.toMillis(), TimeUnit.MILLISECONDS);
                var _ =
                    channel
                        .pipeline()
                        .addLast(handler, WireLoops.beginning(), new WireCodec())
                        .addLast(new Greeter(first, begin, failed));
              }
            });
    var _ =
        bootstrap
            .connect(host, port)
            .addListener(future -> {
              if (!future.isSuccess()) {
                failed.with(WireFailure.connect(peer(), future.cause()), true);
              }
            });
  }

  /** The continuation with a connection. */
  interface Begin {
    void with(ChannelHandlerContext context, WireMessages.Welcome welcome);
  }

  /** The continuation without a connection. */
  interface Failed {
    /**
     * @param again whether it may come about another time
     */
    void with(RefusedException why, boolean again);
  }

  /** The greeter, which says the first word and waits for the answer. */
  private final class Greeter extends SimpleChannelInboundHandler<WireSection> {
    private final WireSection first;
    private final Begin begin;
    private final Failed failed;
    private boolean done;

    Greeter(WireSection first, Begin begin, Failed failed) {
      this.first = first;
      this.begin = begin;
      this.failed = failed;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      var _ = context.writeAndFlush(first);
      context.fireChannelActive();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WireSection section) {
      if (section.id() == WireMessages.REFUSED) {
        fail(context, WireFailure.refused(peer(), WireMessages.reason(section)), false);
        return;
      }
      WireMessages.Welcome welcome = WireMessages.welcome(section);
      done = true;
      begin.with(context, welcome);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event == BeginningTimeout.Event.OVER) {
        fail(context, WireFailure.connect(peer(), new IOException("no answer")), true);
      }
      context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(context, WireFailure.connect(peer(), new IOException("closed")), true);
      context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
      RefusedException refusal = StreamHandler.refusal(thrown);
      boolean trust = refusal == null && WireFailure.connect(peer(), thrown).code().endsWith("007");
      fail(
          context,
          refusal == null ? WireFailure.connect(peer(), thrown) : refusal,
          refusal == null && !trust);
    }

    private void fail(ChannelHandlerContext context, RefusedException why, boolean again) {
      if (!done) {
        done = true;
        failed.with(why, again);
      }
      context.close();
    }
  }

  /** The attempts to connect a stream, one after the other. */
  private final class Attempts {
    private final WireLink link;
    private final WireStream stream;
    private boolean connectedOnce; // of whoever calls back, one after the other
    private int left;

    Attempts(WireLink link, WireStream stream) {
      this.link = link;
      this.stream = stream;
    }

    void connect() {
      if (link.isEnded()) {
        return;
      }
      WireSection hello =
          WireMessages.hello(
              new WireMessages.LinkHello(
                  WireMessages.VERSION,
                  WireMessages.Role.STREAM,
                  stream.number(),
                  link.dataStreams(),
                  wanted(),
                  link.id(),
                  stream.received()));
      // What the engines say to each other is little, and waits behind nobody's memory.
      boolean pages = stream.number() != MigrationLink.CONTROL;
      LinkClient.this.connect(pages, hello, this::connected, this::failed);
    }

    /** Only pages are worth it. */
    private int wanted() {
      return compress && stream.number() != MigrationLink.CONTROL ? WireMessages.ZSTD : 0;
    }

    private void connected(ChannelHandlerContext context, WireMessages.Welcome welcome) {
      if ((welcome.features() & ~wanted()) != 0) {
        link.fail(WireFailure.protocol("a feature that was not asked for"));
        context.close();
        return;
      }
      if (link.isEnded()) {
        context.close();
        return;
      }
      if (connectedOnce) {
        link.reconnected();
      } else if (stream.number() == MigrationLink.CONTROL) {
        link.streams().stream().skip(1).forEach(pages -> new Attempts(link, pages).connect());
      }
      connectedOnce = true;
      left = (int) (WireLoops.MENDING.toMillis() / RETRY_MS);
      loops.keepAlive(context, "keep-alive");
      var _ =
          context
              .pipeline()
              .replace(context.handler(), "stream", new StreamHandler(link, stream, _ -> again()));
      if ((welcome.features() & WireMessages.ZSTD) != 0) {
        var _ = context.pipeline().addBefore("stream", "zstd", new PageCompression(link));
      }
      stream.attach(context.channel(), welcome.received());
      link.wake();
    }

    private void failed(RefusedException why, boolean again) {
      if (!connectedOnce || !again) {
        link.fail(why);
      } else {
        again();
      }
    }

    private void again() {
      if (left-- <= 0) {
        link.fail(WireFailure.cut(peer(), WireLoops.MENDING.toSeconds()));
        return;
      }
      var _ = loops.group().schedule(this::connect, RETRY_MS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void close() {
    if (limit != null) {
      limit.release();
    }
  }
}
