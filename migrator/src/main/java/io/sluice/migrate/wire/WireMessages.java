package io.sluice.migrate.wire;

import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.VersionRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The messages between the two ends of a connection beside frames, little-endian.
 *
 * <pre>
 *  0x180 HELLO    u32 version, oldest, role, stream, streams, features (0); u64 id high, low;
 *                 u64 received                        client, first
 *  0x181 WELCOME  u32 version, features (0); u64 received        server, first
 *  0x182 REFUSED  text                                server, instead
 *  0x183 ACK      u64 received                        both, any time
 *  0x184 BYE      —                                   both: the link ends here
 *  0x186 BYTES    1 to 4096 bytes                     server, in a tunnel that is counted
 *  0x187 SESSION  u32 version, oldest; text guest     client, instead of HELLO: the stream of one of
 *                                                     its sessions follows the WELCOME
 *  0x188 TRIAL    as SESSION                          client, instead of HELLO: whether a session of
 *                                                     its machine could come
 * </pre>
 */
final class WireMessages {
  static final int HELLO = 0x180;
  static final int WELCOME = 0x181;
  static final int REFUSED = 0x182;
  static final int ACK = 0x183;
  static final int BYE = 0x184;
  static final int BYTES = 0x186;
  static final int SESSION = 0x187;
  static final int TRIAL = 0x188;

  /** The protocol of connections; the one before it is spoken too, once there is one. */
  static final int VERSION = 1;

  private static final VersionRange SPOKEN = VersionRange.of(VERSION);

  /** Feature: sections of pages may be compressed with zstd. */
  static final int ZSTD = 1;

  /** Feature: the end of a tunnel says how many bytes it has handed on. */
  static final int COUNTED = 2;

  /** Most payload of {@link #BYTES}. */
  static final int MAX_BYTES = 4096;

  private static final int HELLO_BYTES = 6 * 4 + 3 * 8;
  private static final int WELCOME_BYTES = 2 * 4 + 8;
  private static final int MAX_REASON_BYTES = 1024;
  private static final int VERSION_BYTES = 2 * 4;
  private static final int MAX_GUEST_BYTES = 63;

  /** The role of a connection. Never 0. */
  enum Role {
    STREAM(1),
    TUNNEL(2);

    final int number;

    Role(int number) {
      this.number = number;
    }
  }

  /**
   * @param version to be spoken
   * @param role what for
   * @param stream number of the stream; 0 for a tunnel
   * @param streams of pages that the link has; 0 for a tunnel
   * @param features that the client would like: bits, of which a server skips those it does not
   *     know
   * @param id of the link, or of the tunnel
   * @param received frames that the client has received on this stream
   */
  record LinkHello(
      int version, Role role, int stream, int streams, int features, UUID id, long received) {}

  /**
   * @param features that both use from now on
   * @param received frames that the server has received on this stream
   */
  record Welcome(int features, long received) {}

  private WireMessages() {}

  static WireSection hello(LinkHello hello) {
    ByteBuffer out = buffer(HELLO_BYTES);
    out.putInt(VERSION).putInt(SPOKEN.oldest()).putInt(hello.role().number);
    out.putInt(hello.stream()).putInt(hello.streams()).putInt(hello.features());
    out.putLong(hello.id().getMostSignificantBits());
    out.putLong(hello.id().getLeastSignificantBits());
    out.putLong(hello.received());
    return new WireSection(HELLO, 1, out.flip());
  }

  private static int agreed(ByteBuffer in) {
    int version = in.getInt();
    int oldest = in.getInt();
    if (!VersionRange.isRange(oldest, version)) {
      throw WireFailure.protocol("no version");
    }
    VersionRange theirs = new VersionRange(oldest, version);
    return SPOKEN
        .agreed(theirs)
        .orElseThrow(
            () -> WireFailure.protocol("it speaks versions " + theirs + ", this side " + SPOKEN));
  }

  /**
   * The first word of a session's stream.
   *
   * @param id {@link #SESSION} or {@link #TRIAL}
   */
  static WireSection session(int id, String guest) {
    byte[] name = guest.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = buffer(VERSION_BYTES + name.length).putInt(VERSION).putInt(SPOKEN.oldest());
    return new WireSection(id, 1, out.put(name).flip());
  }

  /** The guest of whose sessions one comes; nothing is said of what its name is made of. */
  static String session(WireSection section) {
    int bytes = section.payload().remaining();
    ByteBuffer in =
        payload(
            section,
            section.id(),
            Math.clamp(bytes, VERSION_BYTES + 1, VERSION_BYTES + MAX_GUEST_BYTES));
    int _ = agreed(in);
    return StandardCharsets.UTF_8.decode(in).toString();
  }

  static LinkHello hello(WireSection section) {
    ByteBuffer in = payload(section, HELLO, HELLO_BYTES);
    int agreed = agreed(in);
    int number = in.getInt();
    Role role =
        switch (number) {
          case 1 -> Role.STREAM;
          case 2 -> Role.TUNNEL;
          default -> throw WireFailure.protocol("no role, number=" + number);
        };
    int stream = in.getInt();
    int streams = in.getInt();
    int features = in.getInt();
    UUID id = new UUID(in.getLong(), in.getLong());
    long received = in.getLong();
    if (received < 0 || stream < 0 || stream > streams) {
      throw WireFailure.protocol("a beginning that cannot be");
    }
    return new LinkHello(agreed, role, stream, streams, features, id, received);
  }

  static WireSection welcome(Welcome welcome) {
    ByteBuffer out = buffer(WELCOME_BYTES).putInt(VERSION).putInt(welcome.features());
    return new WireSection(WELCOME, 1, out.putLong(welcome.received()).flip());
  }

  static Welcome welcome(WireSection section) {
    ByteBuffer in = payload(section, WELCOME, WELCOME_BYTES);
    int version = in.getInt();
    if (version < SPOKEN.oldest() || version > VERSION) {
      throw WireFailure.protocol("a welcome in another version, version=" + version);
    }
    int features = in.getInt();
    return new Welcome(features, count(in));
  }

  static WireSection ack(long received) {
    return new WireSection(ACK, 1, buffer(Long.BYTES).putLong(received).flip());
  }

  static long ack(WireSection section) {
    return count(payload(section, ACK, Long.BYTES));
  }

  private static long count(ByteBuffer in) {
    long count = in.getLong();
    if (count < 0) {
      throw WireFailure.protocol("a negative count");
    }
    return count;
  }

  static WireSection refused(RefusedException why) {
    byte[] text = String.valueOf(why.getMessage()).getBytes(StandardCharsets.UTF_8);
    return new WireSection(
        REFUSED, 1, ByteBuffer.wrap(text, 0, Math.min(text.length, MAX_REASON_BYTES)));
  }

  static String reason(WireSection section) {
    ByteBuffer text = section.payload().duplicate();
    text.limit(Math.min(text.limit(), text.position() + MAX_REASON_BYTES));
    return StandardCharsets.UTF_8.decode(text).toString();
  }

  static WireSection bye() {
    return new WireSection(BYE, 1, buffer(0));
  }

  static WireSection bytes(ByteBuffer some) {
    return new WireSection(BYTES, 1, some);
  }

  static ByteBuffer bytes(WireSection section) {
    int bytes = section.payload().remaining();
    return payload(section, BYTES, Math.clamp(bytes, 1, MAX_BYTES));
  }

  private static ByteBuffer payload(WireSection section, int id, int bytes) {
    if (section.id() != id || section.version() != 1 || section.payload().remaining() != bytes) {
      throw WireFailure.protocol(
          "another section than expected, id=0x" + Integer.toHexString(section.id()));
    }
    return section.payload().duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
