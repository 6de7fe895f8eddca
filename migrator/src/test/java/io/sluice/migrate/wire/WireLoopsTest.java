package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.link.MigrationLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left when the loops end. */
final class WireLoopsTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final int ROUNDS = 12;
  private static final int LOOPS = 2;
  private static final int STREAMS = 4;

  @TempDir private Path directory;

  /**
   * The connections of a link that has just been closed still wait for one another: they are waited
   * for. One that stays open is found by the look for descriptors behind each test.
   */
  @Test
  void close_rightAfterALink_leavesNoConnectionOpen() throws Exception {
    Certificates certificates = new Certificates(directory);
    TlsFiles here = certificates.of("server", WireRig.HERE);
    TlsFiles there = certificates.of("client", "client");
    for (int round = 0; round < ROUNDS; round++) {
      CompletableFuture<MigrationLink> come = new CompletableFuture<>();
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (WireLoops sending = new WireLoops(LOOPS, THREADS);
          WireLoops receiving = new WireLoops(LOOPS, THREADS);
          LinkServer server =
              new LinkServer(receiving, any, here, come::complete, _ -> Optional.empty());
          LinkClient client =
              new LinkClient(sending, WireRig.HERE, server.port(), there, 0, false);
          MigrationLink out = client.link(UUID.randomUUID(), STREAMS);
          MigrationLink in = come.get(WireRig.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        assertThat(in.dataStreams()).isEqualTo(out.dataStreams());
      }
    }
  }
}
