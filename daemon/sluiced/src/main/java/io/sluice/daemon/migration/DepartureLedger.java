package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.daemon.runtime.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of where machines are being moved to, durably: a small file for each guest whose
 * machine is on its way. A daemon that is started after one that was killed meanwhile finds there
 * whom to ask for a machine that stands still. It is written before the machine is touched, not in
 * its pause.
 */
final class DepartureLedger {
  /** What a copy is written to, not a host: the machine stays here whatever becomes of that. */
  static final String FILE = "file:";

  private static final Logger LOG = LoggerFactory.getLogger(DepartureLedger.class);
  private static final int PARTS = 2;

  private final Path directory;

  /**
   * One attempt to move a machine.
   *
   * @param id by which the destination knows it
   * @param to {@code HOST:PORT}, or {@link #FILE} and a path
   */
  record MigrationAttempt(UUID id, String to) {
    /** Whether nobody else can have the machine. */
    boolean isCopy() {
      return to.startsWith(FILE);
    }
  }

  /**
   * @param stateDir of the daemon
   */
  DepartureLedger(Path stateDir) {
    directory = stateDir.resolve("departures");
  }

  /**
   * Writes one down, in place of the guest's last one.
   *
   * @throws RefusedException when it cannot be
   */
  void begin(String guest, MigrationAttempt departure) {
    try {
      DurableFile.write(file(guest), departure.id() + " " + departure.to() + "\n");
    } catch (IOException e) {
      throw new RefusedException(
          ArrivalCode.NOT_NOTED_GONE,
          Errno.EIO,
          "it cannot be written down where the guest goes, " + file(guest) + ": " + e.getMessage(),
          "See to the disk of daemon.state-dir.");
    }
  }

  /** The guest's last one, if it has not ended. */
  Optional<MigrationAttempt> find(String guest) {
    return Optional.ofNullable(read(guest));
  }

  private @Nullable MigrationAttempt read(String guest) {
    try {
      String[] parts = Files.readString(file(guest)).strip().split(" ", PARTS);
      return parts.length == PARTS
          ? new MigrationAttempt(UUID.fromString(parts[0]), parts[1])
          : null;
    } catch (IOException | IllegalArgumentException _) {
      return null; // none, or none of ours
    }
  }

  /** It has ended, one way or the other, and the machine's monitor is let go. */
  void end(String guest, UUID id) {
    MigrationAttempt last = read(guest);
    if (last == null || !last.id().equals(id)) {
      return;
    }
    try {
      Files.deleteIfExists(file(guest));
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("guest", guest).setCause(e).log("an old departure stays noted");
    }
  }

  private Path file(String guest) {
    return directory.resolve(guest);
  }
}
