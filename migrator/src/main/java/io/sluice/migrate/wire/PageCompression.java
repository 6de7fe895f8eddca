package io.sluice.migrate.wire;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToMessageCodec;
import io.sluice.channel.record.SectionHeader;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The compression of sections of pages with zstd, on streams whose two ends have agreed to it; of
 * each by itself, so that a stream can be cut anywhere. What does not become smaller by an eighth
 * is sent as it is.
 *
 * <pre>
 *  section 0x185: u32 id   u32 version   u32 bytes, of the section inside   zstd frame
 * </pre>
 *
 * <p>A peer's frame is unpacked into exactly as many bytes as it announces, at most those of a
 * section: what would become longer is refused before it does. Sections that come behind a pause of
 * the reading, as many as one read has brought, wait as they are: nothing is unpacked for a stream
 * that may hold no more.
 */
final class PageCompression extends MessageToMessageCodec<WireSection, WireSection> {
  /** Id of a compressed section. */
  static final int COMPRESSED = 0x185;

  private static final int LEVEL = 1;
  private static final int HEAD_BYTES = 12;
  private static final int LEAST_BYTES = 1024;

  private final WireLink link;
  private final ZstdCompressCtx compressor = new ZstdCompressCtx();
  private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();
  private final ArrayDeque<WireSection> waiting = new ArrayDeque<>();
  private long waitingBytes; // counted among those of frames
  private byte[] scratch = new byte[0];

  /**
   * @param link told how much was saved
   */
  PageCompression(WireLink link) {
    super(WireSection.class, WireSection.class);
    this.link = link;
    compressor.setLevel(LEVEL).setContentSize(true).setChecksum(false);
  }

  @Override
  protected void encode(ChannelHandlerContext context, WireSection section, List<Object> out) {
    int length = section.payload().remaining();
    if (section.id() != FrameType.PAGES.number() || length < LEAST_BYTES) {
      out.add(section);
      return;
    }
    byte[] plain = new byte[length];
    section.payload().duplicate().get(plain);
    int bound = (int) Zstd.compressBound(length);
    if (scratch.length < bound) {
      scratch = new byte[bound];
    }
    int packed = compressor.compressByteArray(scratch, 0, bound, plain, 0, length);
    if (packed + HEAD_BYTES > length - length / 8) {
      out.add(section);
      return;
    }
    ByteBuffer payload = ByteBuffer.allocate(HEAD_BYTES + packed).order(ByteOrder.LITTLE_ENDIAN);
    payload.putInt(section.id()).putInt(section.version()).putInt(length);
    payload.put(scratch, 0, packed).flip();
    link.saved(length - payload.remaining());
    out.add(new WireSection(COMPRESSED, 1, payload));
  }

  @Override
  protected void decode(ChannelHandlerContext context, WireSection section, List<Object> out) {
    if (waiting.isEmpty() && context.channel().config().isAutoRead()) {
      out.add(plain(section));
    } else {
      keep(section);
    }
  }

  private void keep(WireSection section) {
    long bytes = heldBytes(section);
    if (waitingBytes + bytes > WireStream.MAX_INCOMING_BYTES) {
      throw WireFailure.protocol("too much behind a pause of the reading, bytes=" + waitingBytes);
    }
    waiting.add(section);
    count(bytes);
  }

  private static long heldBytes(WireSection section) {
    return WireStream.FRAME_BYTES + section.payload().capacity();
  }

  private void count(long bytes) {
    waitingBytes += bytes;
    link.frames().incoming().hold(bytes);
  }

  /** It is to be read on: what came before comes first, up to the next pause. */
  @Override
  public void read(ChannelHandlerContext context) throws Exception {
    boolean any = !waiting.isEmpty();
    while (!waiting.isEmpty() && context.channel().config().isAutoRead()) {
      WireSection section = waiting.remove();
      count(-heldBytes(section));
      context.fireChannelRead(plain(section));
    }
    if (any) {
      context.fireChannelReadComplete();
    }
    if (waiting.isEmpty()) {
      super.read(context);
    }
  }

  /** The codec would read on for itself, pause or not, when it has passed nothing on. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.fireChannelReadComplete();
  }

  private WireSection plain(WireSection section) {
    return section.id() == COMPRESSED ? unpacked(section) : section;
  }

  private WireSection unpacked(WireSection section) {
    ByteBuffer in = section.payload().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (section.version() != 1 || in.remaining() <= HEAD_BYTES) {
      throw WireFailure.protocol("a compressed section that is none");
    }
    int id = in.getInt();
    int version = in.getInt();
    int length = in.getInt();
    if (id != FrameType.PAGES.number()
        || length < LEAST_BYTES
        || length > SectionHeader.MAX_PAYLOAD_BYTES) {
      throw WireFailure.protocol(
          "a compressed section of " + Integer.toUnsignedString(length) + " bytes, id=" + id);
    }
    byte[] packed = new byte[in.remaining()];
    in.get(packed);
    link.frames().give(section.payload());
    byte[] plain = new byte[length];
    try {
      int got = decompressor.decompressByteArray(plain, 0, length, packed, 0, packed.length);
      if (got != length) {
        throw WireFailure.protocol("a compressed section with " + got + " bytes of " + length);
      }
    } catch (ZstdException e) {
      throw WireFailure.protocol("a compressed section that is none: " + e.getMessage());
    }
    return new WireSection(id, version, ByteBuffer.wrap(plain));
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    waiting.clear();
    count(-waitingBytes);
    compressor.close();
    decompressor.close();
  }
}
