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
  private long heardNs; // of the loop: when something came last

  /**
   * @param onCut told when the connection has ended and the link has not; why, if that is known
   */
  StreamHandler(WireLink link, WireStream stream, Consumer<@Nullable Throwable> onCut) {
    this.link = link;
    this.stream = stream;
    this.onCut = onCut;
  }

  /** The stream is given the connection right after, before the loop does anything else. */
  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    heardNs = nowNs(context);
    lookAgain(context);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, WireSection section) {
    heard(context);
    switch (section.id()) {
      case WireMessages.ACK -> stream.acknowledged(context.channel(), WireMessages.ack(section));
      case WireMessages.BYE -> link.fail(WireFailure.ended());
      case WireMessages.REFUSED ->
          link.fail(WireFailure.refused(link.peer(), WireMessages.reason(section)));
      default -> stream.take(context.channel(), section);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    heard(context); // what is not a whole section yet is a sign of life too
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

  /** A word now and then. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof IdleStateEvent) {
      stream.acknowledge(context.channel(), true);
    }
    context.fireUserEventTriggered(event);
  }

  private void heard(ChannelHandlerContext context) {
    heardNs = nowNs(context);
    if (stream.silenceNs() > 0) {
      stream.heard(context.channel());
    }
  }

  private static long nowNs(ChannelHandlerContext context) {
    return context.executor().ticker().nanoTime();
  }

  private void lookAgain(ChannelHandlerContext context) {
    EventExecutor loop = context.executor();
    if (!loop.isShuttingDown()) {
      var _ = loop.schedule(() -> look(context), WireLoops.LOOK_MS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * For how long there was nothing: a peer that says nothing for long is gone. Goes on after the
   * connection's end until there is another one.
   */
  private void look(ChannelHandlerContext context) {
    long now = nowNs(context);
    if (stream.isPaused() && stream.isConnected()) {
      heardNs = now; // it is this side that does not listen
    }
    long silentNs = stream.look(context.channel(), heardNs, now);
    if (silentNs < 0 || link.isEnded()) {
      return;
    }
    if (silentNs > WireLoops.CUT_AFTER_NS && context.channel().isOpen()) {
      context.close();
    }
    lookAgain(context);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (stream.detach(context.channel()) && !link.isEnded()) {
      onCut.accept(cause);
    }
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
    cause = thrown;
    RefusedException refusal = refusal(thrown);
    if (refusal != null) {
      LOG.atWarn().addKeyValue("peer", link.peer()).log("{}", refusal.getMessage());
      link.refuse(refusal);
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
