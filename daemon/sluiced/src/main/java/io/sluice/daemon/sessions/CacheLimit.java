package io.sluice.daemon.sessions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limit of what a session host keeps in its directory: the oldest files are removed. The host
 * may write there whatever it likes while this looks, so nothing is followed and all is bounded.
 * What is removed while a library has it open stays there for that library.
 */
final class CacheLimit {
  private static final Logger LOG = LoggerFactory.getLogger(CacheLimit.class);

  /** Most files and directories of a host; beyond it all are removed. */
  static final int MOST_ENTRIES = 100_000;

  /** What a file costs at least: one of no bytes takes its place, too. */
  private static final long LEAST_BYTES = 4096;

  private static final int DEEPEST = 64;

  private final Path directory;
  private final long mostBytes;

  /**
   * @param directory has a directory for each host
   * @param mostBytes of the files of each of them
   */
  CacheLimit(Path directory, long mostBytes) {
    this.directory = directory;
    this.mostBytes = mostBytes;
  }

  private record Kept(Path path, long bytes, FileTime changed) {}

  /** Removes what is beyond the limit now. */
  void enforce() {
    try (Stream<Path> hosts = Files.list(directory)) {
      for (Path host : (Iterable<Path>) hosts::iterator) {
        if (Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS)) {
          enforce(host);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.atDebug().addKeyValue("directory", directory).setCause(e).log("it is not there yet");
    }
  }

  private void enforce(Path host) throws IOException {
    List<Kept> files = new ArrayList<>();
    boolean[] tooMany = new boolean[1];
    walk(
        host,
        new Visitor(host) {
          @Override
          FileVisitResult see(Path path, BasicFileAttributes attributes) {
            if (files.size() >= MOST_ENTRIES) {
              tooMany[0] = true;
              return FileVisitResult.TERMINATE;
            }
            long bytes = Math.max(LEAST_BYTES, attributes.size());
            files.add(new Kept(path, bytes, attributes.lastModifiedTime()));
            return FileVisitResult.CONTINUE;
          }
        });
    long bytes = files.stream().mapToLong(Kept::bytes).sum();
    if (!tooMany[0] && bytes <= mostBytes) {
      return;
    }
    files.sort(Comparator.comparing(Kept::changed));
    int removed = 0;
    for (Kept file : files) {
      if (bytes <= mostBytes / 2 && !tooMany[0]) { // so that it is not done again at once
        break;
      }
      remove(file.path()); // a directory goes when nothing is left in it
      bytes -= file.bytes();
      removed++;
    }
    LOG.atInfo()
        .addKeyValue("directory", host)
        .addKeyValue("removed", removed)
        .addKeyValue("limit", mostBytes)
        .log("what a session host keeps was beyond its limit");
  }

  private static void remove(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException _) {
      // a directory that has something again, or what the host has removed itself
    }
  }

  /** A look at all files, and at directories once all in them was seen; nothing is followed. */
  private abstract static class Visitor extends SimpleFileVisitor<Path> {
    private final Path root;

    Visitor(Path root) {
      this.root = root;
    }

    abstract FileVisitResult see(Path path, BasicFileAttributes attributes);

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      return see(file, attributes);
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE; // gone meanwhile
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      if (directory.equals(root)) {
        return FileVisitResult.CONTINUE; // the host has it for as long as it lives
      }
      try {
        return see(
            directory,
            Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
      } catch (NoSuchFileException _) {
        return FileVisitResult.CONTINUE;
      }
    }
  }

  private static void walk(Path host, Visitor visitor) throws IOException {
    Path _ = Files.walkFileTree(host, EnumSet.noneOf(FileVisitOption.class), DEEPEST, visitor);
  }
}
