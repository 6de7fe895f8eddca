package io.sluice.migrate.link;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The name of the socket of a machine's own stream. It is made of a path that an operator may have
 * given, so there may be a file of his in its place, which stays.
 */
public final class StreamSocket {
  private StreamSocket() {}

  /** Removes the name if there is a socket of it. */
  public static void remove(Path socket) throws IOException {
    try {
      // A socket is neither file, directory nor link.
      if (Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther()) {
        Files.deleteIfExists(socket);
      }
    } catch (NoSuchFileException _) {
      // as wanted
    }
  }
}
