package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links over real connections, with real rig.certificates. */
final class WireTest {
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

  private LinkClient client(int port, long limit) throws Exception {
    return client(port, limit, false);
  }

  private LinkClient client(int port, long limit, boolean compress) throws Exception {
    return rig.client(port, rig.certificates.of("client", "client"), limit, compress);
  }

  private static Frame frame(FrameType type, int bytes, int seed) {
    byte[] payload = new byte[bytes];
    new Random(seed).nextBytes(payload);
    return Frame.of(type, ByteBuffer.wrap(payload));
  }

  private static Frame await(MigrationLink link, int stream) {
    return WireRig.soon().until(() -> link.poll(stream), Objects::nonNull);
  }

  private static void send(MigrationLink link, int stream, Frame frame) {
    WireRig.soon().until(() -> link.send(stream, frame));
  }

  private static RefusedException failureOf(MigrationLink link) {
    return WireRig.soon().until(link::failure, Optional::isPresent).orElseThrow();
  }

  @Test
  void link_framesBothWays_arriveInOrderUnchanged() throws Exception {
    MigrationLink source = client(rig.server.port(), 0).link(UUID.randomUUID(), 2);
    MigrationLink target = rig.incoming();
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
    WireRig.soon().until(source::isFlushed);
    if (source.statistics().reconnects() == 0) { // a machine that stands still looks like a cut
      assertThat(source.statistics().bytesRetransmitted()).isZero();
    }
    source.close();
    assertThat(failureOf(target).code()).isEqualTo("SLU-NET-002");
  }

  @Test
  void link_cutAgainAndAgain_losesNothingRepeatsNothing() throws Exception {
    try (CutRelay relay = new CutRelay(rig.server.port())) {
      MigrationLink source = client(relay.port(), 0).link(UUID.randomUUID(), 1);
      MigrationLink target = rig.incoming();
      Thread sender =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 200; i++) {
                  ByteBuffer payload = source.payload(200_000);
                  payload.put(frame(FrameType.PAGES, 200_000, i).payload()).flip();
                  send(source, 1, Frame.of(FrameType.PAGES, payload));
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
    MigrationLink source = client(rig.server.port(), limit).link(UUID.randomUUID(), 2);
    MigrationLink target = rig.incoming();
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
    MigrationLink source = client(rig.server.port(), 0, true).link(id, 2);
    MigrationLink target = rig.incoming();
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
    try (CutRelay relay = new CutRelay(rig.server.port())) {
      MigrationLink source = client(relay.port(), 0, true).link(UUID.randomUUID(), 1);
      MigrationLink target = rig.incoming();
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
    MigrationLink source = client(rig.server.port(), 0).link(UUID.randomUUID(), 1);
    MigrationLink target = rig.incoming();
    send(source, 1, mixed(0));
    assertThat(await(target, 1)).isEqualTo(mixed(0));
    assertThat(((WireLink) source).bytesSaved()).isZero();
  }

  @Test
  void connect_nobodyListens_isRefusedWithARemedy() throws Exception {
    int port = rig.server.port();
    rig.server.close();
    RefusedException why = failureOf(client(port, 0).link(UUID.randomUUID(), 1));
    assertThat(why.code()).isEqualTo("SLU-NET-006");
    assertThat(why.remedy()).contains("[migration] listen");
  }

  @Test
  void connect_clientOfAnotherAuthority_isRefused() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    TlsFiles strange = new Certificates(other).of("client", "client");
    TlsFiles mixed =
        new TlsFiles(
            strange.certificate(), strange.key(), rig.certificates.of("x", "x").authority());
    LinkClient client = rig.client(rig.server.port(), mixed, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side says: (unknown ca|certificate unknown)");
    assertThat(rig.links).isEmpty();
  }

  @Test
  void connect_serverOfAnotherAuthority_isRefused() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    TlsFiles files = new Certificates(other).of("c", "c");
    LinkClient client = rig.client(rig.server.port(), files, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side's certificate is of another authority, issuer=.*");
    assertThat(rig.links).isEmpty();
  }

  @Test
  void connect_expiredCertificate_isRefused() throws Exception {
    TlsFiles old = rig.certificates.of("old", "old", Instant.now().minusSeconds(60));
    LinkClient client = rig.client(rig.server.port(), old, 0, false);
    assertUntrusted(
        failureOf(client.link(UUID.randomUUID(), 1)),
        "the other side says: certificate (expired|unknown)");
    assertThat(rig.links).isEmpty();
  }

  @Test
  void connect_serverWithAnotherName_isRefused() throws Exception {
    LinkServer other = rig.server(rig.certificates.of("elsewhere", "elsewhere.example"));
    RefusedException why = failureOf(client(other.port(), 0).link(UUID.randomUUID(), 1));
    assertUntrusted(
        why,
        "the other side's certificate is for another name, called=localhost,"
            + " names=\\[elsewhere.example.*");
    assertThat(rig.links).isEmpty();
  }

  @Test
  void renew_newCertificate_isShownToWhoComesLater_linksGoOn() throws Exception {
    TlsFiles files = rig.certificates.of("renewed", "elsewhere.example");
    LinkServer server = rig.server(files);
    TlsFiles same = rig.certificates.of("renewed", "localhost"); // in the same files
    assertThat(same).isEqualTo(files);
    assertThat(failureOf(client(server.port(), 0).link(UUID.randomUUID(), 1)).code())
        .isEqualTo("SLU-NET-007");

    server.renew();

    MigrationLink source = client(server.port(), 0).link(UUID.randomUUID(), 1);
    MigrationLink target = rig.incoming();
    Files.writeString(files.key(), "no key");
    assertThatThrownBy(server::renew).hasMessageContaining("SLU-NET-008");
    Frame sent = frame(FrameType.STATE, 1000, 1);
    send(source, 0, sent);
    assertThat(await(target, 0)).isEqualTo(frame(FrameType.STATE, 1000, 1));
    MigrationLink another = client(server.port(), 0).link(UUID.randomUUID(), 1);
    assertThat(rig.incoming().failure()).isEmpty();
    another.close();
    source.close();
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
}
