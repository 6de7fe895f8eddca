package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.ResourceLeakDetector;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links over real connections, with real certificates. */
final class WireTest {
  private static final String HERE = "localhost";
  private static final int PATIENCE_SECONDS = 20;

  @TempDir private Path directory;
  private final BlockingQueue<MigrationLink> links = new LinkedBlockingQueue<>();
  private final TunnelTargets tunnels = new TunnelTargets();
  private Certificates certificates;
  private WireLoops loops;
  private LinkServer server;
  private @Nullable LinkClient client;

  @BeforeAll
  static void watchForLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @BeforeEach
  void start() throws Exception {
    certificates = new Certificates(directory);
    loops = new WireLoops(2, Thread.ofPlatform().daemon().factory());
    server =
        new LinkServer(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            certificates.of("server", HERE),
            links::add,
            tunnels::take);
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
    }
    server.close();
    loops.close();
  }

  private LinkClient client(int port, long limit) throws Exception {
    return client(port, limit, false);
  }

  private LinkClient client(int port, long limit, boolean compress) throws Exception {
    TlsFiles files = certificates.of("client", "client");
    LinkClient made = new LinkClient(loops, HERE, port, files, limit, compress);
    client = made;
    return made;
  }

  private MigrationLink incoming() throws InterruptedException {
    MigrationLink link = links.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(link).isNotNull();
    return link;
  }

  private static Frame frame(FrameType type, int bytes, int seed) {
    byte[] payload = new byte[bytes];
    new Random(seed).nextBytes(payload);
    return Frame.of(type, ByteBuffer.wrap(payload));
  }

  private static Frame await(MigrationLink link, int stream) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < end) {
      Frame frame = link.poll(stream);
      if (frame != null) {
        return frame;
      }
      Thread.sleep(1);
    }
    throw new AssertionError("no frame came");
  }

  private static void send(MigrationLink link, int stream, Frame frame)
      throws InterruptedException {
    while (!link.send(stream, frame)) {
      Thread.sleep(1);
    }
  }

  private static RefusedException failureOf(MigrationLink link) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (link.failure().isEmpty() && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    return link.failure().orElseThrow();
  }

  @Test
  void link_framesBothWays_arriveInOrderUnchanged() throws Exception {
    MigrationLink source = client(server.port(), 0).link(UUID.randomUUID(), 2);
    MigrationLink target = incoming();
    for (int i = 0; i < 20; i++) {
      send(source, 0, frame(FrameType.STATE, i * 1000, i));
      send(source, 1 + i % 2, frame(FrameType.PAGES, 1 << 20, 100 + i));
      send(target, 0, frame(FrameType.MACHINE, i, 200 + i));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(await(target, 0)).isEqualTo(frame(FrameType.STATE, i * 1000, i));
      assertThat(await(target, 1 + i % 2)).isEqualTo(frame(FrameType.PAGES, 1 << 20, 100 + i));
      assertThat(await(source, 0)).isEqualTo(frame(FrameType.MACHINE, i, 200 + i));
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!source.isFlushed() && System.nanoTime() < end) {
      Thread.sleep(1);
    }
    assertThat(source.isFlushed()).isTrue();
    if (source.statistics().reconnects() == 0) { // a machine that stands still looks like a cut
      assertThat(source.statistics().bytesRetransmitted()).isZero();
    }
    source.close();
    assertThat(failureOf(target).code()).isEqualTo("SLU-NET-002");
  }

  @Test
  void link_cutAgainAndAgain_losesNothingRepeatsNothing() throws Exception {
    try (CutRelay relay = new CutRelay(server.port())) {
      MigrationLink source = client(relay.port(), 0).link(UUID.randomUUID(), 1);
      MigrationLink target = incoming();
      Thread sender =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int i = 0; i < 200; i++) {
                    ByteBuffer payload = source.payload(200_000);
                    payload.put(frame(FrameType.PAGES, 200_000, i).payload()).flip();
                    send(source, 1, Frame.of(FrameType.PAGES, payload));
                  }
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      for (int i = 0; i < 200; i++) {
        Frame arrived = await(target, 1);
        assertThat(arrived).isEqualTo(frame(FrameType.PAGES, 200_000, i));
        target.used(arrived);
        if (i % 50 == 25) {
          relay.cut();
        }
      }
      sender.join();
      assertThat(target.failure()).isEmpty();
      MigrationLink.Statistics statistics = source.statistics();
      assertThat(statistics.reconnects()).isPositive();
      // At most what was on its way at each cut.
      assertThat(statistics.bytesRetransmitted())
          .isLessThanOrEqualTo(4 * (WireStream.WINDOW_BYTES + (1 << 20)));
      source.close();
    }
  }

  /** The build runs this class twice: with the native TLS, and told to do without it. */
  @Test
  void tls_isNativeUnlessSwitchedOff() {
    assertThat(NativeTls.isAvailable())
        .isEqualTo(!Boolean.getBoolean("io.netty.handler.ssl.noOpenSsl"));
  }

  @Test
  void link_limited_isNotFaster() throws Exception {
    int limit = 20 << 20;
    MigrationLink source = client(server.port(), limit).link(UUID.randomUUID(), 2);
    MigrationLink target = incoming();
    long start = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      send(source, 1 + i % 2, frame(FrameType.PAGES, 1 << 20, i));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(await(target, 1 + i % 2)).isNotNull();
    }
    // A second's worth, but for what the limiter lets through at its beginning.
    assertThat(System.nanoTime() - start).isGreaterThan(500_000_000L);
  }

  /** Pages that repeat, pages of noise, and frames too short to be worth it. */
  private static Frame mixed(int i) {
    byte[] payload = new byte[i % 3 == 2 ? 100 : 300_000];
    if (i % 3 == 0) {
      Arrays.fill(payload, (byte) i);
    } else {
      new Random(i).nextBytes(payload);
    }
    return Frame.of(FrameType.PAGES, ByteBuffer.wrap(payload));
  }

  @Test
  void link_compressed_arrivesUnchangedAndWithFewerBytes() throws Exception {
    UUID id = UUID.randomUUID();
    MigrationLink source = client(server.port(), 0, true).link(id, 2);
    MigrationLink target = incoming();
    for (int i = 0; i < 30; i++) {
      send(source, 1 + i % 2, mixed(i));
    }
    send(source, 0, frame(FrameType.STATE, 50_000, 1));
    for (int i = 0; i < 30; i++) {
      assertThat(await(target, 1 + i % 2)).isEqualTo(mixed(i));
    }
    assertThat(await(target, 0)).isEqualTo(frame(FrameType.STATE, 50_000, 1));
    assertThat(((WireLink) source).bytesSaved()).isBetween(9 * 300_000L, 10 * 300_000L);
  }

  @Test
  void link_compressedAndCut_losesNothing() throws Exception {
    try (CutRelay relay = new CutRelay(server.port())) {
      MigrationLink source = client(relay.port(), 0, true).link(UUID.randomUUID(), 1);
      MigrationLink target = incoming();
      for (int i = 0; i < 20; i++) {
        send(source, 1, mixed(i));
        if (i == 10) {
          // Now both sides know that they are connected: before that a cut is a refusal.
          assertThat(await(target, 1)).isEqualTo(mixed(0));
          relay.cut();
        }
      }
      for (int i = 1; i < 20; i++) {
        assertThat(await(target, 1)).isEqualTo(mixed(i));
      }
    }
  }

  @Test
  void link_notAskedTo_doesNotCompress() throws Exception {
    MigrationLink source = client(server.port(), 0).link(UUID.randomUUID(), 1);
    MigrationLink target = incoming();
    send(source, 1, mixed(0));
    assertThat(await(target, 1)).isEqualTo(mixed(0));
    assertThat(((WireLink) source).bytesSaved()).isZero();
  }

  @Test
  void connect_nobodyListens_isRefusedWithARemedy() throws Exception {
    int port = server.port();
    server.close();
    RefusedException why = failureOf(client(port, 0).link(UUID.randomUUID(), 1));
    assertThat(why.code()).isEqualTo("SLU-NET-006");
    assertThat(why.remedy()).contains("[migration] listen");
  }

  @Test
  void connect_clientOfAnotherAuthority_isRefused() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    TlsFiles strange = new Certificates(other).of("client", "client");
    TlsFiles mixed =
        new TlsFiles(strange.certificate(), strange.key(), certificates.of("x", "x").authority());
    client = new LinkClient(loops, HERE, server.port(), mixed, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side says: (unknown ca|certificate unknown)");
    assertThat(links).isEmpty();
  }

  @Test
  void connect_serverOfAnotherAuthority_isRefused() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    TlsFiles files = new Certificates(other).of("c", "c");
    client = new LinkClient(loops, HERE, server.port(), files, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side's certificate is of another authority, issuer=.*");
    assertThat(links).isEmpty();
  }

  @Test
  void connect_expiredCertificate_isRefused() throws Exception {
    TlsFiles old = certificates.of("old", "old", Instant.now().minusSeconds(60));
    client = new LinkClient(loops, HERE, server.port(), old, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side says: certificate (expired|unknown)");
    assertThat(links).isEmpty();
  }

  @Test
  void connect_serverWithAnotherName_isRefused() throws Exception {
    try (LinkServer other =
        new LinkServer(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            certificates.of("elsewhere", "elsewhere.example"),
            links::add,
            tunnels::take)) {
      RefusedException why = failureOf(client(other.port(), 0).link(UUID.randomUUID(), 1));
      assertUntrusted(
          why,
          "the other side's certificate is for another name, called=localhost,"
              + " names=\\[elsewhere.example.*");
      assertThat(links).isEmpty();
    }
  }

  private static void assertUntrusted(RefusedException why, String reason) {
    assertThat(why.code()).isEqualTo("SLU-NET-007");
    assertThat(why.what()).matches("the two sides do not trust.* peer=.*, reason=" + reason);
  }

  @Test
  void files_noKey_isRefused() {
    Path none = directory.resolve("none");
    assertThatThrownBy(() -> new TlsFiles(none, none, none).check())
        .hasMessageContaining("SLU-NET-008");
  }

  @Test
  void tunnel_bytesBothWays_arrive() throws Exception {
    Path far = directory.resolve("far");
    Path near = directory.resolve("near");
    try (ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      qemu.bind(UnixDomainSocketAddress.of(far));
      try (var target = tunnels.target(UUID.randomUUID(), far);
          TunnelSource source = new TunnelSource(client(server.port(), 0), near)) {
        assertThat(source.open(target.address())).isEqualTo("unix:" + near);
        try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(near));
            SocketChannel two = qemu.accept()) {
          Thread echo = Thread.ofPlatform().start(() -> echo(two));
          byte[] bytes = new byte[5_000_000];
          new Random(1).nextBytes(bytes);
          Thread writer = Thread.ofPlatform().start(() -> write(one, bytes));
          ByteBuffer back = ByteBuffer.allocate(bytes.length);
          while (back.hasRemaining() && one.read(back) >= 0) {}
          assertThat(back.array()).isEqualTo(bytes);
          writer.join();
          one.shutdownOutput();
          one.close();
          echo.join();
        }
      }
    }
  }

  @Test
  void tunnel_thatNobodyWaitsFor_ends() throws Exception {
    Path near = directory.resolve("near");
    ByteBuffer address = ByteBuffer.allocate(16);
    try (TunnelSource source = new TunnelSource(client(server.port(), 0), near)) {
      assertThat(source.open(address)).isNotEmpty();
      try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(near))) {
        assertThat(one.read(ByteBuffer.allocate(1))).isNegative();
      }
    }
    assertThat(tunnels.take(new UUID(0, 0))).isEqualTo(Optional.empty());
  }

  private static void echo(SocketChannel socket) {
    try {
      ByteBuffer some = ByteBuffer.allocate(10_000);
      while (socket.read(some) >= 0) {
        write(socket, Arrays.copyOf(some.array(), some.position()));
        some.clear();
      }
    } catch (IOException _) {
      // ended
    }
  }

  private static void write(SocketChannel socket, byte[] bytes) {
    try {
      ByteBuffer out = ByteBuffer.wrap(bytes);
      while (out.hasRemaining()) {
        int _ = socket.write(out);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
