package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Fd;
import io.sluice.migrate.checkpoint.FilePlace;
import io.sluice.remoting.control.SessionLimits;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A session's file for whose thread there is no means. */
@Timeout(120)
final class SessionFilesThreadTest {
  @TempDir private Path dir;

  @Test
  void write_noThread_leavesNoDescriptor() throws Exception {
    Path path = dir.resolve("a.sock.api");
    try (HostRig rig = new HostRig(dir);
        GuestSessions sessions =
            new GuestSessions(
                "a",
                rig.socket(path),
                new SessionLimits(2, 1 << 20),
                rig::start,
                Map.of(),
                rig.door,
                rig.surroundings)) {
      SessionFiles files =
          new SessionFiles(
              "a",
              sessions.moves(),
              sessions::mostMemoryBytes,
              new WaitingFiles(System::nanoTime),
              rig.surroundings);
      rig.failThread();

      assertThatThrownBy(() -> files.write(7, FilePlace.open(rig.kernel, dir.resolve("a.session"))))
          .isInstanceOf(OutOfMemoryError.class);

      assertThat(rig.pairs).hasSize(2).noneMatch(Fd::isOpen);
    }
  }
}
