package io.sluice.migrate.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.abi.RefusedException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that carries a stream, once both ends have said who they are. */
final class StreamHandler extends SimpleChannelInboundHandler<WireSection> {
  private static final Logger LOG = LoggerFactory.getLogger(StreamHandler.class);

  private final WireLink link;
  private final WireStream stream;
  private final Consumer<@Nullable Throwable> onCut;
  private @Nullable Throwable cause;
  private int quiet; // times in a row that nothing came

  /**
   * @param onCut told when the connection has ended and the link has not; why, if that is known
   */
  StreamHandler(WireLink link, WireStream stream, Consumer<@Nullable Throwable> onCut) {
    this.link = link;
    this.stream = stream;
    this.onCut = onCut;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, WireSection section) {
    if (quiet > 0) {
      quiet = 0;
      stream.quiet(context.channel(), 0);
    }
    switch (section.id()) {
      case WireMessages.ACK -> stream.acknowledged(context.channel(), WireMessages.ack(section));
      case WireMessages.BYE -> link.fail(WireFailure.ended());
      default -> stream.take(context.channel(), section);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    stream.acknowledge(context.channel(), false);
    context.fireChannelReadComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (context.channel().isWritable()) {
      stream.pump(context.channel());
      link.wake();
    }
    context.fireChannelWritabilityChanged();
  }

  /** A word now and then; a peer that is silent for several of them is gone. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent idle) {
      switch (idle.state()) {
        case WRITER_IDLE -> stream.acknowledge(context.channel(), true);
        case READER_IDLE -> nothingCame(context);
        case ALL_IDLE -> {}
      }
    }
    context.fireUserEventTriggered(event);
  }

  private void nothingCame(ChannelHandlerContext context) {
    if (stream.isPaused()) {
      return; // it is this side that does not listen
    }
    quiet++;
    if (quiet >= WireLoops.CUT_AFTER) {
      context.close();
    } else {
      // Once may be this side's own fault, which hears what came meanwhile before it counts again.
      stream.quiet(context.channel(), quiet - 1);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (stream.detach(context.channel()) && !link.isEnded()) {
      missing(context.executor(), 1);
      onCut.accept(cause);
    }
    context.fireChannelInactive();
  }

  /** Counts on while there is no other connection. */
  private void missing(EventExecutor loop, int times) {
    var _ =
        loop.schedule(
            () -> {
              if (!link.isEnded() && stream.missing(times)) {
                missing(loop, times + 1);
              }
            },
            WireLoops.LISTEN_MS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
    cause = thrown;
    RefusedException refusal = refusal(thrown);
    if (refusal != null) {
      LOG.atWarn().addKeyValue("peer", link.peer()).log("{}", refusal.getMessage());
      link.fail(refusal);
    } else {
      LOG.atDebug().addKeyValue("peer", link.peer()).log("connection lost", thrown);
    }
    context.close();
  }

  /** What was refused, however deep it is wrapped; null when it is something else. */
  static @Nullable RefusedException refusal(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof RefusedException refusal) {
        return refusal;
      }
    }
    return null;
  }
}
