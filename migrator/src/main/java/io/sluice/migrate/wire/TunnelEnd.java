package io.sluice.migrate.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.Consumer;

/** The end of a tunnel's connection: it looks why that ends, and passes everything on. */
final class TunnelEnd extends ChannelInboundHandlerAdapter {
  /** In a pipeline. */
  static final String NAME = "tunnel-end";

  private final Channel machine;
  private final Consumer<String> told;

  /**
   * @param machine QEMU's connection: what it has ended itself is no reason
   * @param told why, in words; the first of several says most
   */
  TunnelEnd(Channel machine, Consumer<String> told) {
    this.machine = machine;
    this.told = told;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
    tell(TlsReason.of(thrown));
    context.fireExceptionCaught(thrown);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    tell("the other side has ended it");
    context.fireChannelInactive();
  }

  private void tell(String why) {
    if (machine.isActive()) {
      told.accept(why);
    }
  }
}
