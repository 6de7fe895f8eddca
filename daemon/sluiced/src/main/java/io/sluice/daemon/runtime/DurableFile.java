package io.sluice.daemon.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A small file that is there whole or not at all, also after the host has lost its power. */
public final class DurableFile {
  private static final String STAGED = ".new";

  private DurableFile() {}

  /**
   * Makes it under another name, renames it, and flushes it with its directory, which is made too.
   *
   * @throws IOException nothing of it is left then
   */
  public static void write(Path file, String text) throws IOException {
    boolean complete = false;
    try {
      stage(file, text);
      publish(file);
      complete = true;
    } finally {
      if (!complete) {
        remove(file);
      }
    }
  }

  private static Path staged(Path file) {
    return file.resolveSibling(file.getFileName() + STAGED);
  }

  /**
   * Removes all that was staged in a directory and never published. Nobody else may write there.
   *
   * @throws IOException the directory cannot be read
   */
  public static void unstageAll(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "*" + STAGED)) {
      left.forEach(DurableFile::remove);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /**
   * Does what takes long of {@link #write}: makes it under another name and flushes it.
   *
   * @throws IOException nothing of it is left then
   */
  public static void stage(Path file, String text) throws IOException {
    boolean complete = false;
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      try (FileChannel channel =
          FileChannel.open(
              staged(file),
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          int _ = channel.write(bytes);
        }
        channel.force(true);
      }
      complete = true;
    } finally {
      if (!complete) {
        unstage(file);
      }
    }
  }

  /**
   * Ends what {@link #stage} began: renames it, and flushes the directory.
   *
   * @throws IOException nothing of it is left then
   */
  public static void publish(Path file) throws IOException {
    boolean complete = false;
    try {
      Files.move(staged(file), file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel channel =
          FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
        channel.force(true);
      }
      complete = true;
    } finally {
      if (!complete) {
        unstage(file);
        remove(file);
      }
    }
  }

  /** Removes what was staged and not published, if anything was. */
  public static void unstage(Path file) {
    remove(staged(file));
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // The caller reports what went wrong first.
    }
  }
}
