package io.sluice.daemon.sessions;

import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files that session hosts are no longer to have: moved to a directory in which no host may do
 * anything, and removed there, however deep they are.
 */
final class RemovedFiles {
  private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");

  /** Names of that many of the longest make a path that the kernel takes. */
  private static final int DEPTH = 8;

  /** Most rounds at once, each of which takes so much of a depth; the rest has another day. */
  private static final int MOST_ROUNDS = 1000;

  private final Kernel kernel;
  private final Path directory;
  private long numbers = System.nanoTime();

  RemovedFiles(Kernel kernel, Path directory) {
    this.kernel = kernel;
    this.directory = directory;
  }

  boolean isAt(Path path) {
    return path.equals(directory);
  }

  /**
   * Takes all there is in a host's directory, which stays.
   *
   * @return how much it was
   */
  int take(Path host) throws IOException {
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWN));
    allow(host);
    int taken = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(host)) {
      for (Path path : all) {
        if (taken >= CacheLimit.MOST_ENTRIES) {
          break; // it makes others meanwhile
        }
        take(path, Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS));
        taken++;
      }
    }
    return taken;
  }

  private void take(Path path, boolean isDirectory) {
    try {
      if (isDirectory) {
        allow(path);
      }
      Path _ = Files.move(path, directory.resolve(Long.toString(numbers++)));
    } catch (IOException _) {
      // gone, or for the next look
    }
  }

  /** Removes what was taken. */
  void clear() throws IOException {
    for (int i = 0; i < MOST_ROUNDS && hasAny(); i++) {
      Path _ =
          Files.walkFileTree(
              directory, EnumSet.noneOf(FileVisitOption.class), DEPTH, new Removal());
    }
  }

  private boolean hasAny() throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      return all.iterator().hasNext();
    }
  }

  /**
   * A host may have denied its directories to everybody; the daemon's user has made them. It may
   * also put a link in the place of one, which leads to a directory that is none of its own.
   */
  private void allow(Path path) throws IOException {
    try (HeldDirectory held = HeldDirectory.open(kernel, path)) {
      held.setPermissions(OWN);
    }
  }

  private static void remove(Path path) {
    try {
      boolean _ = Files.deleteIfExists(path);
    } catch (IOException _) {
      // it has something yet, for the next round
    }
  }

  /** A round: what is deeper comes to the top. */
  private final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
        throws IOException {
      allow(path);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
      if (attributes.isDirectory()) {
        take(path, true);
      } else {
        remove(path);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path path, IOException e) throws IOException {
      if (e instanceof AccessDeniedException) {
        allow(path);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path path, @Nullable IOException e) {
      if (!isAt(path)) {
        remove(path);
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
