package io.sluice.migrate.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import java.nio.ByteBuffer;

/**
 * A tunnel whose destination says what it has handed on. What goes to the destination is plain
 * bytes; what comes from there are sections, because the counts are between the bytes.
 *
 * <pre>
 *  source QEMU → plain bytes  →  destination QEMU
 *              ← ACK u64 bytes handed on so far
 *              ← BYTES           what the destination's QEMU says
 * </pre>
 */
final class CountedTunnel {
  /** A count is told after so many bytes, and when there are no more: 2.6 ms at 100 MB/s. */
  private static final int TELL_BYTES = 256 << 10;

  private CountedTunnel() {}

  /** The source's end: continues QEMU's connection. */
  static void atSource(ChannelHandlerContext sections, Channel machine, TunnelWindow window) {
    Channel tunnel = sections.channel();
    ChannelPipeline pipeline = sections.pipeline();
    var _ = machine.pipeline().addLast(new FromSource(tunnel, window));
    var _ = pipeline.addLast(new ToSource(machine, window));
    var _ = pipeline.remove(BeginningTimeout.class);
    var _ = pipeline.remove(sections.handler());
    tunnel.config().setAutoRead(true);
    window.begin(machine, tunnel);
  }

  /** The destination's end: continues to QEMU's socket. */
  static void atDestination(ChannelHandlerContext sections, Channel machine) {
    Channel tunnel = sections.channel();
    ChannelPipeline pipeline = sections.pipeline();
    var _ = machine.pipeline().addLast(new FromDestination(tunnel));
    var _ = pipeline.addLast(new ToDestination(machine));
    var _ = pipeline.remove(BeginningTimeout.class);
    var _ = pipeline.remove(sections.handler());
    pipeline.get(WireCodec.class).expectBytes();
    tunnel.config().setAutoRead(true);
    machine.config().setAutoRead(true);
  }

  /** The reader of the source's QEMU; the window says when. */
  private static final class FromSource extends TunnelHandler {
    private final TunnelWindow window;

    FromSource(Channel tunnel, TunnelWindow window) {
      super(tunnel);
      this.window = window;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      window.take(((ByteBuf) message).readableBytes()); // before it can be said to have arrived
      var _ = other.write(message);
    }
  }

  /** The reader of what the destination says, at the source. */
  private static final class ToSource extends TunnelHandler {
    private final TunnelWindow window;

    ToSource(Channel machine, TunnelWindow window) {
      super(machine);
      this.window = window;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      WireSection section = (WireSection) message;
      if (section.id() == WireMessages.BYTES) {
        var _ = other.write(Unpooled.wrappedBuffer(WireMessages.bytes(section)));
        pauseIfFull(context);
      } else {
        window.handedOn(WireMessages.ack(section));
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      window.pace();
      context.fireChannelWritabilityChanged();
    }
  }

  /** The writer to the destination's QEMU, which counts. Both connections have one thread. */
  private static final class ToDestination extends TunnelHandler {
    private long received;
    private long handedOn;
    private long told;

    ToDestination(Channel machine) {
      super(machine);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      int bytes = ((ByteBuf) message).readableBytes();
      received += bytes;
      var _ =
          other
              .write(message)
              .addListener(written -> {
                if (written.isSuccess()) {
                  handedOn(context.channel(), bytes);
                }
              });
      pauseIfFull(context);
    }

    private void handedOn(Channel tunnel, int bytes) {
      handedOn += bytes;
      if (handedOn == received || handedOn - told >= TELL_BYTES) {
        told = handedOn;
        var _ = tunnel.writeAndFlush(WireMessages.ack(handedOn));
      }
    }
  }

  /** The reader of what the destination's QEMU says, which is passed on. */
  private static final class FromDestination extends TunnelHandler {
    FromDestination(Channel tunnel) {
      super(tunnel);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      try {
        while (in.isReadable()) {
          ByteBuffer some =
              ByteBuffer.allocate(Math.min(in.readableBytes(), WireMessages.MAX_BYTES));
          in.readBytes(some);
          var _ = other.write(WireMessages.bytes(some.flip()));
        }
      } finally {
        in.release();
      }
      pauseIfFull(context);
    }
  }
}
