package io.sluice.migrate.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.sluice.channel.record.SectionHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Sections to bytes and back. A length is believed only up to its limit, and a payload only with
 * its sum: TLS would notice what happens on the way, the sum notices what happens before and after.
 *
 * <p>Pages are most of what passes, so their bytes are touched as few times as can be. A payload
 * goes out as it is, behind a head of its own. One that comes in is gathered where it will stay,
 * record by record, and summed while the record is still in the processor's cache.
 */
final class WireCodec extends ChannelDuplexHandler {
  private static final int CHECKED_BYTES = 12;

  /** Most payload before a connection has become a stream: what is not known yet gets no room. */
  private static final int BEGINNING_BYTES = 4096;

  /** Up to this a payload is copied behind its head; more is passed on by reference. */
  private static final int COPIED_BYTES = 1024;

  private final CRC32C leaving = new CRC32C();
  private final CRC32C arriving = new CRC32C();
  private final ByteBuffer head =
      ByteBuffer.allocate(SectionHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int limit = BEGINNING_BYTES;
  private @Nullable FrameMemory frames; // once this is a stream
  private @Nullable ByteBuffer
      payload; // of the section whose head has come; filled to its position
  private boolean failed;

  /** What comes from now on is no sections. */
  private boolean bytesCome;

  /** The connection is a stream now: sections may have their full length. */
  void expectFrames(FrameMemory memory) {
    frames = memory;
    limit = SectionHeader.MAX_PAYLOAD_BYTES;
  }

  /** What comes is plain bytes from now on; what goes may still be sections. */
  void expectBytes() {
    bytesCome = true;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (!(message instanceof WireSection section)) {
      var _ = context.write(message, promise);
      return;
    }
    ByteBuffer bytes = section.payload();
    int length = bytes.remaining();
    boolean copied = length <= COPIED_BYTES;
    ByteBuf out = context.alloc().buffer(SectionHeader.BYTES + (copied ? length : 0));
    out.writeIntLE(section.id()).writeIntLE(section.version()).writeIntLE(length);
    leaving.reset();
    leaving.update(out.nioBuffer(out.readerIndex(), CHECKED_BYTES));
    leaving.update(bytes.duplicate());
    out.writeIntLE((int) leaving.getValue());
    if (copied) {
      var _ = context.write(out.writeBytes(bytes.duplicate()), promise);
    } else {
      var _ = context.write(out);
      var _ = context.write(Unpooled.wrappedBuffer(bytes.duplicate()), promise);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof ByteBuf in)) {
      context.fireChannelRead(message);
      return;
    }
    try {
      while (in.isReadable() && !failed && !bytesCome) {
        WireSection section = take(in);
        if (section != null) {
          context.fireChannelRead(section);
        }
      }
      if (bytesCome && in.isReadable()) {
        context.fireChannelRead(in.retain());
      }
    } finally {
      in.release();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    bytesCome = true;
    FrameMemory memory = frames;
    ByteBuffer begun = payload;
    payload = null;
    if (memory != null && begun != null) {
      memory.give(begun);
    }
    if (head.position() > 0) {
      context.close(); // cut off in a section: what follows would be read as something else
    }
  }

  /** Takes what there is of the section that comes; null while it is not complete. */
  private @Nullable WireSection take(ByteBuf in) {
    ByteBuffer into = payload;
    if (into == null) {
      head.limit(Math.min(SectionHeader.BYTES, head.position() + in.readableBytes()));
      in.readBytes(head);
      head.limit(SectionHeader.BYTES);
      if (head.hasRemaining()) {
        return null;
      }
      into = begin(head.getInt(8));
    }
    int from = into.position();
    int end = into.limit();
    into.limit(from + Math.min(into.remaining(), in.readableBytes()));
    in.readBytes(into);
    arriving.update(into.position(from)); // moves on to the limit
    into.limit(end);
    return into.hasRemaining() ? null : finish(into.flip());
  }

  private ByteBuffer begin(int length) {
    if (length < 0 || length > limit) {
      failed = true;
      throw WireFailure.protocol("a section of " + Integer.toUnsignedString(length) + " bytes");
    }
    arriving.reset();
    arriving.update(head.array(), 0, CHECKED_BYTES);
    FrameMemory memory = frames;
    ByteBuffer into = memory == null ? ByteBuffer.allocate(length) : memory.take(length);
    payload = into;
    return into;
  }

  private WireSection finish(ByteBuffer bytes) {
    if ((int) arriving.getValue() != head.getInt(CHECKED_BYTES)) {
      failed = true;
      throw WireFailure.protocol("a section whose sum is wrong");
    }
    payload = null;
    head.clear();
    return new WireSection(head.getInt(0), head.getInt(4), bytes);
  }
}
