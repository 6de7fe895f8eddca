package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.qemu.RamTransport;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way of QEMU's stream: what is on it arrives, is known, and bounded. */
final class TunnelTest {
  private static final int BYTES = 8 << 20;
  private static final int LIMIT = 300_000;

  /** A connection is read in pieces of at most so many bytes; one may be under way. */
  private static final int PIECE = 64 << 10;

  private static final int ROUNDS = 40;

  @TempDir private Path directory;
  private WireRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new WireRig(directory, 2);
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private static byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(1).nextBytes(noise);
    return noise;
  }

  @Test
  void tunnel_bytesBothWays_arrive() throws Exception {
    try (Tunnel tunnel = new Tunnel(rig, directory, 0)) {
      Thread echo = Thread.ofPlatform().start(() -> Tunnel.echo(tunnel.far));
      byte[] bytes = noise(5_000_000);
      Thread writer = Thread.ofPlatform().start(() -> Tunnel.write(tunnel.near, bytes));
      ByteBuffer back = ByteBuffer.allocate(bytes.length);
      while (back.hasRemaining() && tunnel.near.read(back) >= 0) {}
      assertThat(back.array()).isEqualTo(bytes);
      writer.join();
      tunnel.near.shutdownOutput();
      tunnel.near.close();
      echo.join();
    }
  }

  /** As sessions have one each, and their memory too. */
  @Test
  void plainTunnel_thatStandsOpen_carriesManyConnections() throws Exception {
    Path far = directory.resolve("standing");
    Path near = directory.resolve("plain");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        RamTransport.Target target = rig.tunnels.standing(new UUID(1, 2), far);
        TunnelSource source = TunnelSource.plain(rig.client(), near)) {
      listener.bind(UnixDomainSocketAddress.of(far));
      assertThat(source.open(target.address())).isNotEmpty();
      for (byte i = 1; i <= 3; i++) {
        try (SocketChannel here = SocketChannel.open(UnixDomainSocketAddress.of(near));
            SocketChannel there = listener.accept()) {
          ByteBuffer one = ByteBuffer.allocate(1);
          assertThat(here.write(ByteBuffer.wrap(new byte[] {i}))).isEqualTo(1);
          assertThat(there.read(one)).isEqualTo(1);
          assertThat(one.get(0)).isEqualTo(i);
          assertThat(there.write(one.flip())).isEqualTo(1);
          assertThat(here.read(one.clear())).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void tunnel_thatNobodyWaitsFor_ends() throws Exception {
    Path near = directory.resolve("near");
    ByteBuffer address = ByteBuffer.allocate(16);
    try (TunnelSource source = new TunnelSource(rig.client(), near)) {
      assertThat(source.open(address)).isNotEmpty();
      try (SocketChannel one = SocketChannel.open(UnixDomainSocketAddress.of(near))) {
        assertThat(one.read(ByteBuffer.allocate(1))).isNegative();
      }
    }
    assertThat(rig.tunnels.take(new UUID(0, 0))).isEqualTo(Optional.empty());
  }

  @Test
  void tunnel_destinationThatReadsSlowly_hasNoMoreOnItsWayThanItMay() throws Exception {
    try (Tunnel tunnel = new Tunnel(rig, directory, LIMIT)) {
      TunnelSource source = tunnel.source;
      byte[] bytes = noise(BYTES);
      Thread writer = Thread.ofPlatform().start(() -> Tunnel.write(tunnel.near, bytes));
      WireRig.soon().until(() -> source.bytesQueued() >= LIMIT);
      ByteBuffer arrived = ByteBuffer.allocate(BYTES);
      while (arrived.hasRemaining()) {
        arrived.limit(Math.min(BYTES, arrived.position() + PIECE / 4));
        assertThat(tunnel.far.read(arrived)).isPositive();
        arrived.limit(BYTES);
        assertThat(source.bytesQueued()).isBetween(0L, (long) LIMIT + PIECE);
      }
      assertThat(arrived.array()).isEqualTo(bytes);
      writer.join();
      WireRig.soon().until(() -> source.bytesQueued() == 0);
      assertThat(source.isCounted()).isTrue();
      assertThat(source.bytesCarried()).isEqualTo(BYTES);
    }
  }

  /** What it has left then it keeps, however late anybody looks. */
  @Test
  void tunnel_takenUpToSomewhere_takesNoMoreThanOneReadBeyondUntilItMay() throws Exception {
    try (Tunnel tunnel = new Tunnel(rig, directory, 0)) {
      TunnelSource source = tunnel.source;
      source.takeUpTo(LIMIT);
      byte[] bytes = noise(BYTES);
      Thread writer = Thread.ofPlatform().start(() -> Tunnel.write(tunnel.near, bytes));
      ByteBuffer arrived = ByteBuffer.allocate(BYTES);
      WireRig.soon().until(() -> source.bytesTaken() >= LIMIT);
      long first = source.bytesTaken();
      while (arrived.position() < first) {
        assertThat(tunnel.far.read(arrived)).isPositive();
      }
      WireRig.soon().until(() -> source.bytesQueued() == 0);
      assertThat(source.bytesTaken())
          .isEqualTo(first)
          .isBetween((long) LIMIT, (long) LIMIT + PIECE);
      source.takeUpTo(Long.MAX_VALUE);
      while (arrived.hasRemaining()) {
        assertThat(tunnel.far.read(arrived)).isPositive();
      }
      assertThat(arrived.array()).isEqualTo(bytes);
      writer.join();
    }
  }

  @Test
  void cut_destinationsQemuEnds_isKnownWhenTheSourcesSeesIt() throws Exception {
    try (Tunnel tunnel = new Tunnel(rig, directory, 0)) {
      ByteBuffer word = ByteBuffer.wrap(new byte[] {1});
      assertThat(tunnel.far.write(word)).isOne();
      assertThat(tunnel.near.read(word.clear())).isOne();
      assertThat(tunnel.source.cut()).isEmpty();
      tunnel.far.close();
      assertThat(tunnel.near.read(word.clear())).isNegative();
      assertThat(tunnel.source.cut()).hasValue("the other side has ended it");
    }
  }

  /** The destination notices in the midst of what it is sent, and its word is not lost in that. */
  @Test
  void cut_damagedOnItsWay_theReasonIsWhatTheDestinationFound() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      try (CutRelay link = new CutRelay(rig.server.port())) {
        LinkClient client =
            rig.client(link.port(), rig.certificates.of("client", "client"), 0, false);
        try (Tunnel tunnel = new Tunnel(rig, client, directory, 0)) {
          Thread writer = Thread.ofPlatform().start(() -> writeToTheEnd(tunnel.near));
          ByteBuffer arrived = ByteBuffer.allocate(PIECE);
          assertThat(tunnel.far.read(arrived)).isPositive();
          link.damage();
          while (tunnel.far.read(arrived.clear()) >= 0) {}
          writer.join();
          assertThat(tunnel.source.cut()).as("round %s", round).isPresent();
          assertThat(tunnel.source.cut().orElseThrow())
              .as("round %s", round)
              .isEqualTo("the other side says: bad record mac");
          assertThat(tunnel.target.cut()).as("round %s", round).hasValue("bad record mac");
        }
      }
    }
  }

  /** Until the other side takes no more. */
  private static void writeToTheEnd(SocketChannel socket) {
    ByteBuffer some = ByteBuffer.wrap(noise(PIECE));
    try {
      while (socket.write(some) >= 0) {
        some.rewind();
      }
    } catch (IOException _) {
      // ended
    }
  }
}
