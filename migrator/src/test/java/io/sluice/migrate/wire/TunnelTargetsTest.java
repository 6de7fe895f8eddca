package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the tunnels of machines end. */
final class TunnelTargetsTest {
  private final TunnelTargets targets = new TunnelTargets();
  @TempDir private Path directory;

  @Test
  void close_machineThatNeverReceived_leavesNoSocket() throws Exception {
    UUID id = new UUID(1, 2);
    Path socket = Files.createFile(directory.resolve("web.qmp.in"));
    targets.target(id, socket).close();
    assertThat(socket).doesNotExist();
    assertThat(targets.take(id)).isEmpty();
  }

  @Test
  void take_twice_isForOne() {
    UUID id = new UUID(1, 2);
    targets.target(id, directory.resolve("web.qmp.in"));
    assertThat(targets.take(id)).contains(directory.resolve("web.qmp.in"));
    assertThat(targets.take(id)).isEmpty();
  }
}
