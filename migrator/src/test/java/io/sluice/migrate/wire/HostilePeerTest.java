package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer with a good certificate that says what nobody may say. */
final class HostilePeerTest {
  private static final int CONVERSATIONS = 60;

  @TempDir private Path directory;
  private WireRig rig;
  private TlsFiles files;
  private SSLContext tls;

  @BeforeEach
  void start() throws Exception {
    rig = new WireRig(directory, 1);
    files = rig.certificates.of("client", "client");
    tls = context(files);
  }

  @AfterEach
  void stop() throws Exception {
    aGoodLinkStillWorks();
    rig.close();
  }

  private static SSLContext context(TlsFiles files) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry(
        "own", PemFiles.key(files.key()), new char[0], PemFiles.certificates(files.certificate()));
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("authority", PemFiles.certificates(files.authority())[0]);
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, new char[0]);
    TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
    others.init(trust);
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(own.getKeyManagers(), others.getTrustManagers(), null);
    return context;
  }

  private void aGoodLinkStillWorks() throws Exception {
    rig.links.clear();
    try (LinkClient client = rig.client(rig.server.port(), files, 0, false)) {
      MigrationLink source = client.link(UUID.randomUUID(), 1);
      MigrationLink target = rig.incoming();
      assertThat(source.send(0, Frame.of(FrameType.OFFER))).isTrue();
      Frame _ = WireRig.soon().until(() -> target.poll(0), Objects::nonNull);
      source.close();
    }
  }

  /** Says something, and gives back what is answered until the server ends the connection. */
  private byte[] say(byte[]... words) throws Exception {
    return say(rig.server, words);
  }

  private byte[] say(LinkServer server, byte[]... words) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(60_000);
      try {
        for (byte[] word : words) {
          socket.getOutputStream().write(word);
        }
        socket.getOutputStream().flush();
        InputStream in = socket.getInputStream();
        return in.readAllBytes();
      } catch (IOException _) {
        return new byte[0]; // a reset: the server would not even listen
      }
    }
  }

  /** As {@link #say}, a byte each half a second; the connection stays open behind the last. */
  private byte[] trickle(byte[] word) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), rig.server.port())) {
      socket.setSoTimeout(500);
      for (byte each : word) {
        socket.getOutputStream().write(each);
        try {
          int answer = socket.getInputStream().read();
          return answer < 0 ? new byte[0] : new byte[] {(byte) answer};
        } catch (SocketTimeoutException _) {
          // It is still waited for.
        }
      }
      throw new AssertionError("all of it was waited for");
    } catch (IOException _) {
      return new byte[0]; // a reset
    }
  }

  private static byte[] section(int id, int version, byte[] payload) {
    ByteBuffer out = ByteBuffer.allocate(16 + payload.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(id).putInt(version).putInt(payload.length);
    CRC32C sum = new CRC32C();
    sum.update(out.array(), 0, 12);
    sum.update(payload);
    return out.putInt((int) sum.getValue()).put(payload).array();
  }

  private static byte[] hello(int oldest, int role, int stream, int streams, long received) {
    return hello(1, oldest, role, stream, streams, received);
  }

  private static byte[] hello(
      int newest, int oldest, int role, int stream, int streams, long received) {
    ByteBuffer out = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(newest).putInt(oldest).putInt(role).putInt(stream).putInt(streams).putInt(0);
    out.putLong(7).putLong(9).putLong(received);
    return section(WireMessages.HELLO, 1, out.array());
  }

  @Test
  void hello_everyWrongOne_isRefusedInWords() throws Exception {
    byte[][] wrong = {
      hello(2, 1, 0, 1, 0), // a version to come
      hello(0, 1, 0, 1, 0),
      hello(1, 0, 0, 1, 0), // no role
      hello(1, 3, 0, 1, 0),
      hello(1, 1, 2, 1, 0), // a stream beyond the last
      hello(1, 1, -1, 1, 0),
      hello(1, 1, 0, 0, 0),
      hello(1, 1, 0, 17, 0),
      hello(1, 1, 0, 1, 5), // a link that is not known
      hello(1, 1, 0, 1, -1),
      hello(1, 2, 0, 0, 0), // a tunnel that nobody waits for
      section(WireMessages.HELLO, 2, new byte[48]),
      section(WireMessages.HELLO, 1, new byte[47]),
      section(FrameType.OFFER.number(), 1, new byte[4]),
    };
    for (byte[] one : wrong) {
      byte[] answer = say(one);
      assertThat(answer.length).isGreaterThan(16);
      assertThat(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt())
          .isEqualTo(WireMessages.REFUSED);
    }
  }

  private static byte[] session(int newest, int oldest, int guestBytes) {
    ByteBuffer out = ByteBuffer.allocate(8 + guestBytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(newest).putInt(oldest);
    Arrays.fill(out.array(), 8, 8 + guestBytes, (byte) 0xff); // no UTF-8
    return section(WireMessages.SESSION, 1, out.array());
  }

  @Test
  void session_whateverItSays_isRefusedInWords() throws Exception {
    byte[][] wrong = {
      section(WireMessages.SESSION, 1, new byte[0]),
      section(WireMessages.SESSION, 2, new byte[9]),
      session(1, 1, 0), // nobody's
      session(1, 1, 64), // of a guest with too long a name
      session(0, 1, 5),
      session(3, 2, 5), // a version to come
      session(1, 1, 63), // nobody comes in
    };
    for (byte[] one : wrong) {
      byte[] answer = say(one);
      assertThat(answer.length).isGreaterThan(16);
      assertThat(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt())
          .isEqualTo(WireMessages.REFUSED);
    }
  }

  @Test
  void hello_ofANeighbouringVersion_isWelcomeInOurs() throws Exception {
    byte[] bye = section(WireMessages.BYE, 1, new byte[0]);
    int next = WireMessages.VERSION + 1;
    ByteBuffer answer =
        ByteBuffer.wrap(say(hello(next, WireMessages.VERSION, 1, 0, 1, 0), bye))
            .order(ByteOrder.LITTLE_ENDIAN);
    assertThat(answer.getInt(0)).isEqualTo(WireMessages.WELCOME);
    assertThat(answer.getInt(16)).isEqualTo(WireMessages.VERSION);
  }

  @Test
  void hello_ofALaterVersionThatLeavesOursOut_isRefusedAndToldWhatIsSpoken() throws Exception {
    int next = WireMessages.VERSION + 1;
    byte[] answer = say(hello(next + 1, next, 1, 0, 1, 0));
    assertThat(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt())
        .isEqualTo(WireMessages.REFUSED);
    assertThat(new String(answer, 16, answer.length - 16, StandardCharsets.UTF_8))
        .contains("it speaks versions 2 to 3, this side 1 to 1");
  }

  /** A feature that nobody here knows is not used, and nothing else happens. */
  @Test
  void hello_featuresThatNobodyKnows_areSkipped() throws Exception {
    byte[] hello = hello(1, 1, 1, 1, 1, 0);
    ByteBuffer words = ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN);
    byte[] payload = java.util.Arrays.copyOfRange(hello, 16, hello.length);
    ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).putInt(20, -2);
    assertThat(words.getInt(36)).isZero();
    byte[] bye = section(WireMessages.BYE, 1, new byte[0]);
    ByteBuffer answer =
        ByteBuffer.wrap(say(section(WireMessages.HELLO, 1, payload), bye))
            .order(ByteOrder.LITTLE_ENDIAN);
    assertThat(answer.getInt(0)).isEqualTo(WireMessages.WELCOME);
    assertThat(answer.getInt(20)).isZero();
  }

  /** As those before this do: what comes back is plain bytes too. */
  @Test
  void tunnel_ofASourceThatDoesNotCount_isPlainBytesBothWays() throws Exception {
    Path far = directory.resolve("far");
    try (ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var _ = rig.tunnels.target(new UUID(7, 9), far);
        SSLSocket socket =
            (SSLSocket)
                tls.getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), rig.server.port())) {
      qemu.bind(UnixDomainSocketAddress.of(far));
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(hello(1, 2, 0, 0, 0));
      byte[] welcome = socket.getInputStream().readNBytes(32);
      assertThat(ByteBuffer.wrap(welcome).order(ByteOrder.LITTLE_ENDIAN).getInt(20)).isZero();
      try (SocketChannel machine = qemu.accept()) {
        socket.getOutputStream().write(new byte[] {1, 2, 3});
        ByteBuffer three = ByteBuffer.allocate(3);
        while (three.hasRemaining() && machine.read(three) >= 0) {}
        assertThat(three.array()).containsExactly(1, 2, 3);
        assertThat(machine.write(ByteBuffer.wrap(new byte[] {4, 5}))).isEqualTo(2);
      }
      assertThat(socket.getInputStream().readAllBytes()).containsExactly(4, 5);
    }
  }

  private static byte[] threeTimes(byte[] word) {
    return ByteBuffer.allocate(3 * word.length).put(word).put(word).put(word).array();
  }

  /** Only the first word of one read is looked at, and what was begun for it ends. */
  private void leavesNoConnection(LinkServer server, ServerSocketChannel far, byte[] word)
      throws Exception {
    byte[] answer = say(server, threeTimes(word));
    assertThat(new String(answer, StandardCharsets.ISO_8859_1))
        .contains("a second word before the answer to the first");
    try (SocketChannel begun = far.accept()) {
      assertThat(begun.read(ByteBuffer.allocate(1))).isNegative();
    }
    far.configureBlocking(false);
    assertThat(far.accept()).isNull();
  }

  @Test
  void session_wordComesThreeTimesAtOnce_noConnectionIsLeft() throws Exception {
    Path place = directory.resolve("far");
    LinkServer server = rig.server(rig.certificates.of("door", WireRig.HERE), (_, _) -> place);
    try (ServerSocketChannel far = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      far.bind(UnixDomainSocketAddress.of(place));
      ByteBuffer versions = ByteBuffer.allocate(9).order(ByteOrder.LITTLE_ENDIAN);
      byte[] payload = versions.putInt(1).putInt(1).put((byte) 'w').array();
      leavesNoConnection(server, far, section(WireMessages.SESSION, 1, payload));
    }
  }

  @Test
  void tunnel_thatStandsIsAskedForThreeTimesAtOnce_noConnectionIsLeft() throws Exception {
    Path place = directory.resolve("far");
    try (ServerSocketChannel far = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var _ = rig.tunnels.standing(new UUID(7, 9), place)) {
      far.bind(UnixDomainSocketAddress.of(place));
      leavesNoConnection(rig.server, far, hello(1, 2, 0, 0, 0));
    }
  }

  /** A byte now and then is none of the words that are waited for; the time is the real one. */
  @Test
  void hello_trickles_isNotWaitedFor() throws Exception {
    byte[] hello = hello(1, 1, 0, 1, 0);
    assertThat(trickle(hello)).isEmpty();
    assertThat(rig.server.linkOf(new UUID(7, 9))).isNull();
  }

  @Test
  void section_tooLongOrDamaged_endsTheConnection() throws Exception {
    byte[] tooLong = section(WireMessages.HELLO, 1, new byte[48]);
    ByteBuffer.wrap(tooLong).order(ByteOrder.LITTLE_ENDIAN).putInt(8, (1 << 20) + 1);
    assertThat(say(tooLong)).isEmpty();
    ByteBuffer.wrap(tooLong).order(ByteOrder.LITTLE_ENDIAN).putInt(8, -1);
    assertThat(say(tooLong)).isEmpty();
    byte[] damaged = hello(1, 1, 0, 1, 0);
    damaged[30] ^= 1;
    assertThat(say(damaged)).isEmpty();
  }

  @Test
  void stream_anythingOutOfTurn_endsTheLinkInWords() throws Exception {
    byte[][] wrong = {
      section(WireMessages.ACK, 1, new byte[] {1, 0, 0, 0, 0, 0, 0, 0}), // nothing was sent
      section(WireMessages.ACK, 1, new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) 0x80}),
      section(WireMessages.ACK, 1, new byte[7]),
      section(0x17f, 1, new byte[1]), // a frame that nobody knows
      section(FrameType.OFFER.number(), 0, new byte[1]),
      section(WireMessages.HELLO, 1, new byte[48]),
    };
    for (byte[] one : wrong) {
      byte[] answer = say(hello(1, 1, 0, 1, 0), one);
      assertThat(new String(answer, StandardCharsets.ISO_8859_1)).contains("SLU-NET-001");
      assertThat(rig.server.linkOf(new UUID(7, 9))).isNull();
    }
  }

  @Test
  void conversations_random_neverHurtTheServer() throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    System.out.println("HostilePeerTest: -Dsluice.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < CONVERSATIONS; i++) {
      byte[] noise = new byte[random.nextInt(400)];
      random.nextBytes(noise);
      byte[] almost = hello(1, 1 + random.nextInt(2), random.nextInt(2), 1, 0);
      if (random.nextBoolean()) {
        almost[random.nextInt(almost.length)] ^= (byte) (1 << random.nextInt(8));
      }
      byte[] frame =
          section(
              random.nextBoolean() ? random.nextInt(0x200) : random.nextInt(),
              random.nextInt(3),
              noise);
      // BYE last: a conversation that was right so far ends too.
      byte[] bye = section(WireMessages.BYE, 1, new byte[0]);
      byte[] _ = random.nextInt(4) == 0 ? say(noise, bye) : say(almost, frame, bye);
    }
  }
}
