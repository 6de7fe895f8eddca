package io.sluice.migrate.wire;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source's end of the way that QEMU's stream takes: a UNIX socket beside the machine's monitor,
 * whose one connection continues to the destination's daemon, and there to its QEMU. So machines
 * need no port, no certificates and no limit of their own.
 */
public final class TunnelSource implements RamTransport.Source {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelSource.class);

  private final LinkClient client;
  private final Path socket;
  private final int features;
  private final TunnelWindow window = new TunnelWindow();
  private volatile @Nullable String cut; // the first reason that is known
  private @Nullable Channel listener; // of one thread after another: the machine's worker

  /**
   * @param client to the destination; closed with this
   * @param socket where QEMU, which may see another file system, finds us too: beside its monitor
   */
  public TunnelSource(LinkClient client, Path socket) {
    this(client, socket, WireMessages.COUNTED);
  }

  private TunnelSource(LinkClient client, Path socket, int features) {
    this.client = client;
    this.socket = socket;
    this.features = features;
  }

  /** One for any number of streams of plain bytes both ways, to an end that stands open. */
  public static TunnelSource plain(LinkClient client, Path socket) {
    return new TunnelSource(client, socket, 0);
  }

  @Override
  public String open(ByteBuffer target) {
    UUID id = TunnelTargets.id(target);
    deleteSocket();
    ChannelFuture bound =
        new ServerBootstrap()
            .group(client.loops().group())
            .channel(NioServerDomainSocketChannel.class)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(
                new ChannelInitializer<>() { // there may be many, and a handler is of one of them
                  @Override
                  protected void initChannel(Channel machine) {
                    var _ = machine.pipeline().addLast(new Beginning(id));
                  }
                })
            .bind(UnixDomainSocketAddress.of(socket))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw WireFailure.listen(socket.toString(), bound.cause());
    }
    listener = bound.channel();
    return "unix:" + socket;
  }

  /** The handler that has a connection continue to the destination. */
  private final class Beginning extends ChannelInboundHandlerAdapter {
    private final UUID id;

    Beginning(UUID id) {
      this.id = id;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      client.loops().keep(context.channel());
      var _ = context.pipeline().remove(this);
      connect(context.channel(), id);
    }
  }

  private void connect(Channel machine, UUID id) {
    WireSection hello =
        WireMessages.hello(
            new WireMessages.LinkHello(
                WireMessages.VERSION, WireMessages.Role.TUNNEL, 0, 0, features, id, 0));
    client.connect(
        true,
        hello,
        (context, welcome) -> begin(context, welcome, machine),
        (why, _) -> failed(machine, why));
  }

  /** A destination that cannot count has a tunnel all the same. */
  private void begin(ChannelHandlerContext context, WireMessages.Welcome welcome, Channel machine) {
    var _ =
        context
            .pipeline()
            .addBefore(context.name(), TunnelEnd.NAME, new TunnelEnd(machine, this::ended));
    if (welcome.features() == WireMessages.COUNTED) {
      CountedTunnel.atSource(context, machine, window);
    } else {
      Relay.splice(context, machine);
    }
  }

  private void ended(String why) {
    if (cut == null) {
      cut = why;
    }
  }

  @Override
  public Optional<String> cut() {
    return Optional.ofNullable(cut);
  }

  @Override
  public boolean isCounted() {
    return window.isCounted();
  }

  @Override
  public long bytesQueued() {
    return window.bytesQueued();
  }

  @Override
  public long bytesCarried() {
    return window.bytesCarried();
  }

  @Override
  public void limitQueue(long bytes) {
    window.limit(bytes);
  }

  @Override
  public long bytesTaken() {
    return window.bytesTaken();
  }

  @Override
  public void takeUpTo(long bytes) {
    window.takeUpTo(bytes);
  }

  /** QEMU sees the end of its connection, and gives up. */
  private void failed(Channel machine, RefusedException why) {
    LOG.atWarn().log("no tunnel for a machine's memory: {} {}", why.getMessage(), why.remedy());
    ended(why.what());
    machine.close();
  }

  @Override
  public void close() {
    Channel open = listener;
    if (open != null) {
      var _ = open.close().awaitUninterruptibly();
    }
    deleteSocket();
    client.close();
  }

  private void deleteSocket() {
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("socket", socket).log("an old socket stays", e);
    }
  }
}
