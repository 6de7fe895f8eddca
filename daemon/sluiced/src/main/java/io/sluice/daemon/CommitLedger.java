package io.sluice.daemon;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Which guests have become this daemon's by migration, durably: a small file for each attempt. */
final class CommitLedger {
  private final Path directory;

  /**
   * @param stateDir of the daemon
   */
  CommitLedger(Path stateDir) {
    directory = stateDir.resolve("migrations");
  }

  /** When this returns, a daemon that starts anew knows it. */
  void commit(UUID id, String guest) {
    Path file = file(id);
    try {
      DurableFile.write(file, guest + "\n");
    } catch (IOException e) {
      throw new RefusedException(
          "SLU-MIG-058",
          Errno.EIO,
          "it cannot be written down that the guest has come, " + file + ": " + e.getMessage(),
          "See to the disk of daemon.state-dir at the destination.");
    }
  }

  boolean isCommitted(UUID id) {
    return Files.exists(file(id));
  }

  private Path file(UUID id) {
    return directory.resolve(id.toString());
  }
}
