package io.sluice.migrate.wire;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.handler.traffic.GlobalTrafficShapingHandler;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loops of a daemon's migrations, and what all of their connections have in common. */
public final class WireLoops implements AutoCloseable {
  /** How long each stage of a beginning may take: connecting, the handshake, the first words. */
  static final Duration BEGINNING = Duration.ofSeconds(10);

  /** A cut is mended within this, or the link ends. */
  static final Duration MENDING = Duration.ofSeconds(10);

  private static final int SAY_SOMETHING_MS = 200;

  static final long SAY_SOMETHING_NS = SAY_SOMETHING_MS * 1_000_000L;

  /**
   * How often a side looks for how long it has heard nothing. Two looks are how much later than it
   * has become too long a silence is known: less than 0.1 s.
   */
  static final int LOOK_MS = 40;

  /** PeerTimeout after which a connection is given up. */
  static final long CUT_AFTER_NS = 4_000_000_000L;

  private static final int SHAPING_INTERVAL_MS = 100;

  /** Kept of each loop: two of its streams are full, as {@link WireStream#WINDOW_BYTES} says. */
  private static final int FRAMES_OF_LOOP = 64;

  private static final int LEAST_LOOPS = 2;
  private static final int MOST_LOOPS = 8;
  private static final int CLOSING_MS = 5000;
  private static final int LOW_WATER_BYTES = 256 << 10;
  private static final int HIGH_WATER_BYTES = 1 << 20;
  private static final int LEAST_READ_BYTES = 2048;
  private static final int FIRST_READ_BYTES = 16 << 10;
  private static final int MOST_READ_BYTES = 256 << 10;

  private final EventLoopGroup group;
  private volatile boolean closed;
  private final FrameMemory frames;

  /**
   * Every connection. A loop that ends closes those it has, but not one that is given to it by the
   * last of its tasks: such a connection would stay open, with nobody to know of it.
   */
  private final ChannelGroup channels =
      new DefaultChannelGroup("migration", ImmediateEventExecutor.INSTANCE, true);

  /**
   * @param loops how many; each is a thread
   * @param threads makes them
   */
  public WireLoops(int loops, ThreadFactory threads) {
    ThreadFactory named =
        action -> {
          Thread thread = threads.newThread(action);
          thread.setName("sluice-wire");
          return thread;
        };
    frames =
        new FrameMemory(NativeTls.isAvailable(), FRAMES_OF_LOOP * Math.max(LEAST_LOOPS, loops));
    group = new MultiThreadIoEventLoopGroup(loops, named, NioIoHandler.newFactory());
  }

  /** How many a host of so many processors has: a quarter, 2 to 8. */
  public static int usual(int processors) {
    return Math.clamp(processors / 4, LEAST_LOOPS, MOST_LOOPS);
  }

  EventLoopGroup group() {
    return group;
  }

  /** The loops' clock. */
  long nowNs() {
    return group.ticker().nanoTime();
  }

  /** Payloads of all links. */
  FrameMemory frames() {
    return frames;
  }

  /** Limits what goes out over all connections it is given to, together; null for no limit. */
  @Nullable GlobalTrafficShapingHandler limit(long bytesPerSecond) {
    if (bytesPerSecond <= 0) {
      return null;
    }
    GlobalTrafficShapingHandler limit =
        new GlobalTrafficShapingHandler(group, bytesPerSecond, 0, SHAPING_INTERVAL_MS);
    limit.setMaxGlobalWriteSize(4L * HIGH_WATER_BYTES);
    limit.setMaxWriteSize(HIGH_WATER_BYTES);
    return limit;
  }

  /** Sets a connection between hosts up, and keeps it. */
  void configure(Channel channel) {
    keep(channel);
    var _ = channel.pipeline().addFirst(new LingeringClose(LingeringClose.MOST_MS, () -> closed));
    channel
        .config()
        .setWriteBufferWaterMark(new WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES));
    RecvByteBufAllocator sizes =
        new AdaptiveRecvByteBufAllocator(LEAST_READ_BYTES, FIRST_READ_BYTES, MOST_READ_BYTES);
    channel
        .config()
        .setRecvByteBufAllocator(NativeTls.isAvailable() ? sizes : new HeapReads(sizes));
    boolean _ = channel.config().setOption(ChannelOption.TCP_NODELAY, true);
    boolean _ = channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /** Has a connection closed with the loops, or at once if they are closed. */
  void keep(Channel channel) {
    boolean _ = channels.add(channel);
  }

  /** A connection that does not come to the end of its first words in time is not waited for. */
  static ChannelHandler beginning() {
    return new BeginningTimeout();
  }

  /** A connection becomes a stream: frames come, and this end says something now and then. */
  void keepAlive(ChannelHandlerContext context, String name) {
    context.pipeline().get(WireCodec.class).expectFrames(frames);
    var _ =
        context
            .pipeline()
            .replace(
                BeginningTimeout.class,
                name,
                new IdleStateHandler(0, SAY_SOMETHING_MS, 0, TimeUnit.MILLISECONDS));
  }

  /** Ends the loops, and every connection with them. */
  @Override
  public void close() {
    closed = true;
    channels.close();
    // Not for what that returns: TLS takes a connection for closed before it is.
    boolean _ = channels.newCloseFuture().awaitUninterruptibly(CLOSING_MS);
    boolean _ = group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(CLOSING_MS);
  }
}
