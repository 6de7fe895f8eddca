package io.sluice.migrate.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageCodec;
import io.sluice.channel.record.SectionHeader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Sections to bytes and back. A length is believed only up to its limit, and a payload only with
 * its sum: TLS would notice what happens on the way, the sum notices what happens before and after.
 */
final class WireCodec extends ByteToMessageCodec<WireSection> {
  private static final int CHECKED_BYTES = 12;

  WireCodec() {
    super(WireSection.class);
  }

  @Override
  protected void encode(ChannelHandlerContext context, WireSection section, ByteBuf out) {
    int length = section.payload().remaining();
    out.ensureWritable(SectionHeader.BYTES + length);
    int at = out.writerIndex();
    out.writeIntLE(section.id());
    out.writeIntLE(section.version());
    out.writeIntLE(length);
    CRC32C sum = new CRC32C();
    sum.update(out.nioBuffer(at, CHECKED_BYTES));
    sum.update(section.payload().duplicate());
    out.writeIntLE((int) sum.getValue());
    out.writeBytes(section.payload().duplicate());
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < SectionHeader.BYTES) {
      return;
    }
    int at = in.readerIndex();
    int length = in.getIntLE(at + 8);
    if (length < 0 || length > SectionHeader.MAX_PAYLOAD_BYTES) {
      throw WireFailure.protocol("a section of " + Integer.toUnsignedString(length) + " bytes");
    }
    if (in.readableBytes() < SectionHeader.BYTES + length) {
      return;
    }
    byte[] payload = new byte[length];
    in.getBytes(at + SectionHeader.BYTES, payload);
    CRC32C sum = new CRC32C();
    sum.update(in.nioBuffer(at, CHECKED_BYTES));
    sum.update(payload);
    if ((int) sum.getValue() != in.getIntLE(at + CHECKED_BYTES)) {
      throw WireFailure.protocol("a section whose sum is wrong");
    }
    out.add(new WireSection(in.getIntLE(at), in.getIntLE(at + 4), ByteBuffer.wrap(payload)));
    in.skipBytes(SectionHeader.BYTES + length);
  }
}
