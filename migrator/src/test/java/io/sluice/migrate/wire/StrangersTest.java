package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many who can reach the port, have no certificate and say nothing. */
final class StrangersTest {
  private static final int STRANGERS = 300;

  @TempDir private Path directory;
  private WireRig rig;
  private final List<Socket> strangers = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig = new WireRig(directory, 2);
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket each : strangers) {
      each.close();
    }
    rig.close();
  }

  private void come() throws IOException {
    for (int i = 0; i < STRANGERS; i++) {
      strangers.add(new Socket(InetAddress.getLoopbackAddress(), rig.server.port()));
    }
  }

  private static void carries(MigrationLink source, MigrationLink target) {
    assertThat(source.send(0, Frame.of(FrameType.OFFER))).isTrue();
    Frame _ = WireRig.soon().until(() -> target.poll(0), Objects::nonNull);
  }

  @Test
  void silentConnections_goodPeerComesAfterThem_isServed() throws Exception {
    come();
    for (int i = 0; i < 5; i++) {
      MigrationLink source = rig.client().link(UUID.randomUUID(), 4);
      carries(source, rig.incoming());
      source.close();
    }
  }

  @Test
  void silentConnections_linkThatIsCut_isMended() throws Exception {
    try (CutRelay relay = new CutRelay(rig.server.port());
        LinkClient client =
            rig.client(relay.port(), rig.certificates.of("client", "client"), 0, false)) {
      MigrationLink source = client.link(UUID.randomUUID(), 1);
      MigrationLink target = rig.incoming();
      carries(source, target);
      come();
      relay.cut();
      WireRig.soon().until(() -> source.statistics().reconnects() > 0);
      carries(source, target);
      assertThat(target.failure()).isEmpty();
      source.close();
    }
  }
}
