package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams of sessions between sockets of two hosts. */
final class SessionStreamTest {
  private static final String GUEST = "web-01";
  private static final byte[] WORDS = {1, 2, 3, 4, 5, 6, 7, 8};

  @TempDir private Path directory;
  private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private WireRig rig;
  private LinkClient client;

  /** A question at the door. */
  private record Asked(Set<String> names, String guest) {}

  @BeforeEach
  void start() throws Exception {
    rig = new WireRig(directory, 1);
    LinkServer server =
        rig.server(
            rig.certificates.of("door", WireRig.HERE),
            (names, guest) -> {
              asked.add(new Asked(names, guest));
              return directory.resolve("far");
            });
    client = rig.client(server.port(), rig.certificates.of("visitor", "visitor"), 0, false);
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  private ServerSocketChannel listen(String name) throws Exception {
    return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(directory.resolve(name)));
  }

  private CompletableFuture<Void> open(LinkClient from) {
    return SessionStream.open(from, GUEST, directory.resolve("near"));
  }

  private static Throwable failure(CompletableFuture<Void> open) throws Exception {
    return open.handle((_, why) -> why).get(WireRig.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static void passes(SocketChannel from, SocketChannel to) throws Exception {
    int _ = from.write(ByteBuffer.wrap(WORDS));
    ByteBuffer read = ByteBuffer.allocate(WORDS.length);
    while (read.hasRemaining() && to.read(read) >= 0) {
      // the rest
    }
    assertThat(read.array()).isEqualTo(WORDS);
  }

  @Test
  void open_toAnOpenDoor_joinsTheSockets() throws Exception {
    try (ServerSocketChannel here = listen("near");
        ServerSocketChannel there = listen("far")) {
      CompletableFuture<Void> open = open(client);
      try (SocketChannel near = here.accept();
          SocketChannel far = there.accept()) {
        open.get(WireRig.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        passes(near, far);
        passes(far, near);
        near.close();
        assertThat(far.read(ByteBuffer.allocate(1))).isNegative();
      }
    }
    assertThat(asked).containsExactly(new Asked(Set.of("visitor"), GUEST));
  }

  @Test
  void open_whereNobodyListens_isRefusedAndEndsTheNearSocket() throws Exception {
    try (ServerSocketChannel here = listen("near")) {
      CompletableFuture<Void> open = open(client);
      try (SocketChannel near = here.accept()) {
        assertThat(failure(open))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("nobody takes a session's stream");
        assertThat(near.read(ByteBuffer.allocate(1))).isNegative();
      }
    }
  }

  @Test
  void open_withoutANearSocket_asksNobody() throws Exception {
    assertThat(failure(open(client))).isInstanceOf(RefusedException.class);
    assertThat(asked).isEmpty();
  }

  @Test
  void open_toAClosedDoor_isRefused() throws Exception {
    try (ServerSocketChannel here = listen("near")) {
      CompletableFuture<Void> open = open(rig.client());
      try (SocketChannel _ = here.accept()) {
        assertThatThrownBy(() -> open.get(WireRig.PATIENCE.toSeconds(), TimeUnit.SECONDS))
            .hasMessageContaining("it takes no sessions from other hosts, guest=" + GUEST);
      }
    }
  }
}
