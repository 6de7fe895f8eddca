package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The streams of questions about a machine's sessions: through the door that is for them. */
final class SessionTrialStreamTest {
  @TempDir private Path directory;
  private WireRig rig;
  private ServerSocketChannel near;

  @BeforeEach
  void start() throws Exception {
    rig = new WireRig(directory, 2);
    near = listen("near");
  }

  @AfterEach
  void stop() throws Exception {
    near.close();
    rig.close();
  }

  private ServerSocketChannel listen(String name) throws Exception {
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(directory.resolve(name)));
    return listener;
  }

  private CompletableFuture<Void> ask(int port) throws Exception {
    LinkClient client = rig.client(port, rig.certificates.of("client", "client"), 0, false);
    return SessionStream.openTrial(client, "web", directory.resolve("near"));
  }

  @Test
  void openTrial_whereNoGuestHasSessions_isRefusedByName() throws Exception {
    assertThatThrownBy(() -> ask(rig.server.port()).join())
        .hasCauseInstanceOf(RefusedException.class)
        .hasMessageContaining("can have no API sessions")
        .hasMessageContaining("web");
  }

  @Test
  void openTrial_doorThatKnowsTheGuest_carriesBytesBothWays() throws Exception {
    SessionDoor door =
        new SessionDoor() {
          @Override
          public Path place(Set<String> names, String guest) {
            throw SessionDoor.refuse("no session comes to stay");
          }

          @Override
          public Path trial(String guest) {
            return directory.resolve(guest);
          }
        };
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel far = listen("web");
        LinkServer server =
            new LinkServer(
                rig.loops,
                any,
                rig.certificates.of("other", WireRig.HERE),
                _ -> {},
                rig.tunnels::take,
                door)) {
      CompletableFuture<Void> open = ask(server.port());
      try (SocketChannel here = near.accept();
          SocketChannel there = far.accept()) {
        open.join();
        assertThat(here.write(ByteBuffer.wrap(new byte[] {1, 2}))).isEqualTo(2);
        assertThat(there.read(ByteBuffer.allocate(2))).isPositive();
        assertThat(there.write(ByteBuffer.wrap(new byte[] {3}))).isEqualTo(1);
        assertThat(here.read(ByteBuffer.allocate(1))).isEqualTo(1);
      }
    }
  }
}
