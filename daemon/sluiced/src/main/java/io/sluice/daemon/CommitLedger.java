package io.sluice.daemon;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Which guests have become this daemon's by migration, durably: a small file for each attempt, made
 * whole under another name, renamed, and flushed with its directory.
 */
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
    Path staged = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.createDirectories(directory);
      try (FileChannel channel =
          FileChannel.open(
              staged,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer text = ByteBuffer.wrap((guest + "\n").getBytes(StandardCharsets.UTF_8));
        while (text.hasRemaining()) {
          int _ = channel.write(text);
        }
        channel.force(true);
      }
      Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    } catch (IOException e) {
      remove(staged);
      remove(file);
      throw new RefusedException(
          "SLU-MIG-058",
          Errno.EIO,
          "it cannot be written down that the guest has come, " + file + ": " + e.getMessage(),
          "See to the disk of daemon.state-dir at the destination.");
    }
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // The caller reports what went wrong first.
    }
  }

  boolean isCommitted(UUID id) {
    return Files.exists(file(id));
  }

  private Path file(UUID id) {
    return directory.resolve(id.toString());
  }
}
