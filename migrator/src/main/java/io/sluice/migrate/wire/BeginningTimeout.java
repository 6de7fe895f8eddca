package io.sluice.migrate.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time that a connection's first words may take in all, from the end of its handshake, which
 * has a limit of its own. Words that trickle in get no more of it than silence does.
 */
final class BeginningTimeout extends ChannelInboundHandlerAdapter {
  /** The event that tells the handlers behind this one that the time is over. */
  enum Event {
    OVER
  }

  private @Nullable Future<?> end;

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
      cancel();
      end =
          context
              .executor()
              .schedule(
                  () -> {
                    var _ = context.fireUserEventTriggered(Event.OVER);
                  },
                  WireLoops.BEGINNING.toMillis(),
                  TimeUnit.MILLISECONDS);
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    cancel();
    context.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    cancel();
  }

  private void cancel() {
    Future<?> running = end;
    end = null;
    if (running != null) {
      boolean _ = running.cancel(false);
    }
  }
}
