package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.migrate.wire.LinkClient;
import io.sluice.migrate.wire.SessionStream;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.migrate.wire.WireLoops;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import javax.management.OperationsException;
import org.junit.jupiter.api.Test;

/** Hosts that take no sessions, or no more, and a peer that lies. */
final class RemotePeersTest extends RemoteRig {
  private static final int LIES = 20;

  @Test
  void peer_thatIsNotNamed_bringsNothing() throws Exception {
    start("accept-from = \"gamma\"\n");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there()))
        .hasMessageContaining("SLU-SES-016")
        .hasMessageContaining("it takes no sessions from this host");

    assertThat(film.status().host()).isEqualTo(DEFAULT);
    assertThat(children(far)).isEmpty();
    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void daemon_thatAcceptsNobody_takesNothing() throws Exception {
    start("");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there()))
        .hasMessageContaining("SLU-SES-016")
        .hasMessageContaining("it takes no sessions from other hosts");
    assertThatThrownBy(() -> film.move(ADDRESS + ":1")).hasMessageContaining("SLU-SES-016");

    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void host_thatIsFull_takesNoMore() throws Exception {
    start(
        "accept-from = \""
            + HOME
            + "\"\nforeign-guest-limit = \"1\"\nforeign-session-limit = \"1\"\n");
    Film first = new Film(GUEST);
    Film second = new Film(GUEST);
    Film third = new Film(OTHER);
    first.move(there());

    assertThatThrownBy(() -> second.move(there()))
        .hasMessageContaining("as many sessions there as it may have, limit=1");
    assertThatThrownBy(() -> third.move(there()))
        .hasMessageContaining("sessions of as many guests as it takes, limit=1");

    assertThat(second.status().host()).isEqualTo(DEFAULT);
    first.move(DEFAULT);
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(OperationsException.class)
        .until(() -> third.move(there()) != null);
    for (Film film : List.of(first, second, third)) {
      film.endsRight();
    }
    nothingIsLeft();
  }

  @Test
  void session_thatNeedsMoreThanTheHostGives_stays() throws Exception {
    start("accept-from = \"" + HOME + "\"\nforeign-memory-limit = \"1MiB\"\n");
    Film film = new Film(GUEST);

    assertThatThrownBy(() -> film.move(there())).hasMessageContaining("SLU-SES-016");

    film.goesOn();
    film.endsRight();
    nothingIsLeft();
  }

  @Test
  void limit_ofAGuest_holdsAtAllItsSessionHosts() throws Exception {
    start();
    Film first = new Film(GUEST);
    Film second = new Film(GUEST);
    first.move(there());
    Integer before = Objects.requireNonNull(sessions.getHosts().get(GUEST)).sessionLimit();

    sessions.limit(GUEST, 1, null);
    assertThatThrownBy(() -> second.move(there()))
        .hasMessageContaining("there are as many sessions as there may be");
    sessions.limit(GUEST, before, null);
    second.move(there());

    for (Film film : List.of(first, second)) {
      film.goesOn();
      film.endsRight();
    }
    nothingIsLeft();
  }

  @Test
  void peer_thatLies_harmsItselfAlone(RandomGenerator random) throws Exception {
    start();
    Film film = new Film(GUEST);
    film.move(there());
    Path files = directory.resolve(HOME);
    TlsFiles tls =
        new TlsFiles(
            files.resolve("host.crt"), files.resolve("host.key"), files.resolve("authority.crt"));
    WireLoops loops = new WireLoops(1, Thread.ofPlatform().daemon().factory());
    try (LinkClient client = new LinkClient(loops, ADDRESS, PORT, tls, 0, false)) {
      assertThatThrownBy(() -> lie(client, "../x", ByteBuffer.allocate(0)))
          .hasMessageContaining("it is no name of a guest");
      for (int i = 0; i < LIES; i++) {
        ByteBuffer words = lie(random, i);
        String guest = "liar" + i % 2;
        await() // its sessions of before may not be gone
            .atMost(PATIENCE)
            .ignoreExceptionsMatching(
                refused -> String.valueOf(refused.getMessage()).contains("limit="))
            .until(() -> lie(client, guest, words.duplicate()));
      }
    } finally {
      loops.close();
    }

    film.goesOn();
    film.move(DEFAULT);
    film.endsRight();
    nothingIsLeft();
  }

  /** A frame's header with noise behind it, or noise alone. */
  private static ByteBuffer lie(RandomGenerator random, int i) {
    byte[] noise = new byte[random.nextInt(1, 4096)];
    random.nextBytes(noise);
    ByteBuffer frame = ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN);
    if (i % 4 > 0 && noise.length >= 8) {
      frame.putInt(0, i % 4 == 3 ? Integer.MAX_VALUE : noise.length);
      frame.putShort(4, (short) random.nextInt(1, 55)).putShort(6, (short) 0);
    }
    return frame;
  }

  /** Says it, and waits until the other side has had enough. */
  private boolean lie(LinkClient client, String guest, ByteBuffer words) throws Exception {
    Path socket = work.resolve("lie");
    Files.deleteIfExists(socket);
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<Void> open = SessionStream.open(client, guest, socket);
      try (SocketChannel stream = listener.accept()) {
        open.get(1, TimeUnit.MINUTES);
        while (words.hasRemaining()) {
          int _ = stream.write(words);
        }
        stream.shutdownOutput();
        ByteBuffer answer = ByteBuffer.allocate(4096);
        try {
          while (stream.read(answer.clear()) >= 0) {
            // why it was refused, perhaps
          }
        } catch (IOException _) {
          // or not even that
        }
        return true;
      }
    }
  }
}
