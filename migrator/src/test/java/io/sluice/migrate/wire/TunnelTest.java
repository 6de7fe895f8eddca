package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way of QEMU's stream: what is on it is known, and bounded. */
final class TunnelTest {
  private static final String HERE = "localhost";
  private static final int BYTES = 8 << 20;
  private static final int LIMIT = 300_000;

  /** A connection is read in pieces of at most so many bytes; one may be under way. */
  private static final int PIECE = 64 << 10;

  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  @TempDir private Path directory;
  private final TunnelTargets tunnels = new TunnelTargets();
  private WireLoops loops;
  private LinkServer server;
  private LinkClient client;

  @BeforeAll
  static void watchForLeaks() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  @BeforeEach
  void start() throws Exception {
    Certificates certificates = new Certificates(directory);
    loops = new WireLoops(2, Thread.ofPlatform().daemon().factory());
    server =
        new LinkServer(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            certificates.of("server", HERE),
            _ -> {},
            tunnels::take);
    client =
        new LinkClient(loops, HERE, server.port(), certificates.of("client", "client"), 0, false);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
    loops.close();
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

  @Test
  void tunnel_destinationThatReadsSlowly_hasNoMoreOnItsWayThanItMay() throws Exception {
    Path far = directory.resolve("far");
    Path near = directory.resolve("near");
    try (ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      qemu.bind(UnixDomainSocketAddress.of(far));
      try (var target = tunnels.target(UUID.randomUUID(), far);
          TunnelSource source = new TunnelSource(client, near)) {
        source.limitQueue(LIMIT);
        assertThat(source.open(target.address())).isEqualTo("unix:" + near);
        try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(near));
            SocketChannel two = qemu.accept()) {
          byte[] bytes = new byte[BYTES];
          new Random(1).nextBytes(bytes);
          Thread writer = Thread.ofPlatform().start(() -> write(one, bytes));
          await(source, true);
          ByteBuffer arrived = ByteBuffer.allocate(BYTES);
          while (arrived.hasRemaining()) {
            arrived.limit(Math.min(BYTES, arrived.position() + PIECE / 4));
            int _ = two.read(arrived);
            arrived.limit(BYTES);
            assertThat(source.bytesQueued()).isBetween(0L, (long) LIMIT + PIECE);
          }
          assertThat(arrived.array()).isEqualTo(bytes);
          writer.join();
          await(source, false);
          assertThat(source.isCounted()).isTrue();
          assertThat(source.bytesCarried()).isEqualTo(BYTES);
        }
      }
    }
  }

  @Test
  void cut_destinationsQemuEnds_isKnownWhenTheSourcesSeesIt() throws Exception {
    Path far = directory.resolve("far");
    Path near = directory.resolve("near");
    try (ServerSocketChannel qemu = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      qemu.bind(UnixDomainSocketAddress.of(far));
      try (var target = tunnels.target(UUID.randomUUID(), far);
          TunnelSource source = new TunnelSource(client, near)) {
        source.open(target.address());
        try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(near));
            SocketChannel two = qemu.accept()) {
          ByteBuffer word = ByteBuffer.wrap(new byte[] {1});
          assertThat(two.write(word)).isOne();
          assertThat(one.read(word.clear())).isOne();
          assertThat(source.cut()).isEmpty();
          two.close();
          assertThat(one.read(word.clear())).isNegative();
          assertThat(source.cut()).hasValue("the other side has ended it");
        }
      }
    }
  }

  /** Until as much as may be is on its way, or nothing. */
  private static void await(TunnelSource source, boolean full) throws InterruptedException {
    long start = System.nanoTime();
    while (full ? source.bytesQueued() < LIMIT : source.bytesQueued() > 0) {
      assertThat(System.nanoTime() - start)
          .as("queued=" + source.bytesQueued())
          .isLessThan(PATIENCE_NS);
      Thread.sleep(1);
    }
  }
}
