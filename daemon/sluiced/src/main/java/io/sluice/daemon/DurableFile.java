package io.sluice.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A small file that is there whole or not at all, also after the host has lost its power. */
final class DurableFile {
  private DurableFile() {}

  /**
   * Makes it under another name, renames it, and flushes it with its directory, which is made too.
   *
   * @throws IOException nothing of it is left then
   */
  static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Path staged = file.resolveSibling(file.getFileName() + ".new");
    boolean complete = false;
    try {
      Files.createDirectories(directory);
      try (FileChannel channel =
          FileChannel.open(
              staged,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
      complete = true;
    } finally {
      if (!complete) {
        remove(staged);
        remove(file);
      }
    }
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // The caller reports what went wrong first.
    }
  }
}
