package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a peer sends before and after a connection is a stream, of which sums are made right when
 * the input says so: it is cut into the same sections however it arrives, these are written as they
 * came, and the messages in them are read or refused.
 */
final class WireCodecFuzzTest {
  private static final int STREAM = 1;
  private static final int MEND = 2;
  private static final int HEAD_BYTES = 16;

  /** What was taken in, and whether the connection was given up for what followed. */
  private record Taken(List<WireSection> sections, boolean failed) {}

  /** The first byte says how it is taken in. */
  static Stream<byte[]> connections() {
    WireMessages.LinkHello hello =
        new WireMessages.LinkHello(
            1, WireMessages.Role.STREAM, 1, 2, WireMessages.ZSTD, new UUID(7, 9), 5);
    WireMessages.LinkHello tunnel =
        new WireMessages.LinkHello(1, WireMessages.Role.TUNNEL, 0, 0, 0, new UUID(7, 9), 0);
    WireSection welcome = WireMessages.welcome(new WireMessages.Welcome(1, 9));
    return Stream.of(
        said(STREAM | MEND, WireMessages.hello(hello), WireMessages.ack(3), WireMessages.bye()),
        said(MEND, WireMessages.hello(tunnel)),
        said(MEND, welcome, WireMessages.bytes(ByteBuffer.wrap(new byte[20]))),
        said(MEND, WireMessages.session(WireMessages.SESSION, "web-01")),
        said(0, WireMessages.session(WireMessages.TRIAL, "web-01"), welcome),
        said(
            STREAM | MEND,
            new WireSection(0x110, 1, ByteBuffer.wrap(new byte[5000])),
            new WireSection(WireMessages.REFUSED, 1, ByteBuffer.wrap(new byte[] {'n', 'o'}))));
  }

  private static byte[] said(int how, WireSection... sections) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(how | 4 << 2);
    for (WireSection section : sections) {
      byte[] payload = new byte[section.payload().remaining()];
      section.payload().duplicate().get(payload);
      Section sent = new Section(section.id(), section.version(), payload);
      ByteBuffer bytes = ByteBuffer.allocate(sent.sizeBytes());
      sent.write(bytes);
      all.writeBytes(bytes.array());
    }
    return all.toByteArray();
  }

  @MethodSource("connections")
  @FuzzTest
  void connection(byte[] input) {
    if (input.length == 0) {
      return;
    }
    boolean stream = (input[0] & STREAM) != 0;
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & MEND) != 0) {
      mend(bytes);
    }
    Taken whole = take(bytes, stream, Math.max(1, bytes.length));
    Taken parts = take(bytes, stream, 1 + ((input[0] & 0xff) >> 2));

    assertThat(parts).isEqualTo(whole);
    ByteBuffer written = write(whole.sections());
    assertThat(written).isEqualTo(ByteBuffer.wrap(bytes, 0, written.remaining()));
    whole.sections().forEach(WireCodecFuzzTest::read);
  }

  /** Makes the sums of all whole sections right. */
  private static void mend(byte[] bytes) {
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      int length = words.getInt(at + 8);
      if (length < 0 || length > bytes.length - at - HEAD_BYTES) {
        return;
      }
      CRC32C sum = new CRC32C();
      sum.update(bytes, at, 12);
      sum.update(bytes, at + HEAD_BYTES, length);
      words.putInt(at + 12, (int) sum.getValue());
      at += HEAD_BYTES + length;
    }
  }

  private static Taken take(byte[] bytes, boolean stream, int each) {
    WireCodec codec = new WireCodec();
    if (stream) {
      codec.expectFrames(new FrameMemory(false, 2));
    }
    EmbeddedChannel channel = new EmbeddedChannel(codec);
    boolean failed = false;
    for (int at = 0; at < bytes.length; at += each) {
      int length = Math.min(each, bytes.length - at);
      try {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, at, length));
      } catch (RefusedException e) {
        assertThat(e.code()).startsWith("SLU-");
        failed = true;
      }
    }
    List<WireSection> sections = new ArrayList<>();
    for (Object one = channel.readInbound(); one != null; one = channel.readInbound()) {
      sections.add((WireSection) one);
    }
    channel.finishAndReleaseAll();
    return new Taken(sections, failed);
  }

  private static ByteBuffer write(List<WireSection> sections) {
    EmbeddedChannel channel = new EmbeddedChannel(new WireCodec());
    sections.forEach(channel::writeOutbound);
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf one = channel.readOutbound(); one != null; one = channel.readOutbound()) {
      all.writeBytes(one);
      one.release();
    }
    channel.finishAndReleaseAll();
    return all.nioBuffer();
  }

  private static void read(WireSection section) {
    try {
      switch (section.id()) {
        case WireMessages.HELLO -> {
          WireMessages.LinkHello hello = WireMessages.hello(section);
          WireMessages.LinkHello again = WireMessages.hello(WireMessages.hello(hello));
          assertThat(again).isEqualTo(hello);
        }
        case WireMessages.WELCOME -> {
          WireMessages.Welcome welcome = WireMessages.welcome(section);
          assertThat(WireMessages.welcome(WireMessages.welcome(welcome))).isEqualTo(welcome);
        }
        case WireMessages.ACK -> assertThat(WireMessages.ack(section)).isNotNegative();
        case WireMessages.SESSION, WireMessages.TRIAL ->
            assertThat(WireMessages.session(section)).isNotEmpty();
        case WireMessages.BYTES ->
            assertThat(WireMessages.bytes(section).remaining())
                .isBetween(1, WireMessages.MAX_BYTES);
        default -> assertThat(WireMessages.reason(section)).isNotNull();
      }
    } catch (RefusedException e) {
      assertThat(e.code()).startsWith("SLU-");
    }
  }
}
