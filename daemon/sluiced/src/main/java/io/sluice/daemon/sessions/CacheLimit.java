package io.sluice.daemon.sessions;

import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.LoopFailures;
import java.io.IOException;
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
 * All of it goes if some cannot be seen, as it is too deep or not to be read. A file that is
 * removed while a library has it open stays there for that library.
 */
final class CacheLimit {
  private static final Logger LOG = LoggerFactory.getLogger(CacheLimit.class);

  /** Most files and directories of a host; beyond it all are removed. */
  static final int MOST_ENTRIES = 100_000;

  /** What a file costs at least: one of no bytes takes its place, too. */
  private static final long LEAST_BYTES = 4096;

  /** What a file counts at most, so that all of them together are no more than a number holds. */
  private static final long MOST_BYTES = 1L << 45;

  private static final int DEEPEST = 64;

  private final LoopFailures failures = new LoopFailures(LOG, "limiting what session hosts keep");

  private final Kernel kernel;
  private final Path directory;
  private final long mostBytes;
  private final RemovedFiles removed;

  /**
   * @param directory has a directory for each host
   * @param mostBytes of the files of each of them
   */
  CacheLimit(Kernel kernel, Path directory, long mostBytes) {
    this.kernel = kernel;
    this.directory = directory;
    this.mostBytes = mostBytes;
    removed = new RemovedFiles(kernel, removed(directory));
  }

  /** Where what is to be removed is put, below the directory of all hosts. */
  static Path removed(Path directory) {
    return directory.resolve(".removed");
  }

  private record Kept(Path path, long bytes, FileTime changed) {}

  /** Removes what is beyond the limit now. */
  void enforce() {
    try (Stream<Path> hosts = Files.list(directory)) {
      for (Path host : (Iterable<Path>) hosts::iterator) {
        if (Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS) && !removed.isAt(host)) {
          enforceAlone(host);
        }
      }
      removed.clear();
    } catch (NoSuchFileException e) {
      LOG.atDebug().addKeyValue("directory", directory).setCause(e).log("it is not there yet");
    } catch (IOException | RuntimeException | Error e) {
      failures.note(e); // it looks again
    }
  }

  /** Whatever a host does, the others are looked at. */
  private void enforceAlone(Path host) {
    try {
      enforce(host);
    } catch (IOException | RuntimeException | Error e) {
      failures.note(e);
    }
  }

  private void enforce(Path host) throws IOException {
    Look look = new Look(host);
    Path _ = Files.walkFileTree(host, EnumSet.noneOf(FileVisitOption.class), DEEPEST, look);
    if (look.tooMuch) {
      int moved = removed.take(host);
      report(host, moved);
      return;
    }
    long bytes = look.files.stream().mapToLong(Kept::bytes).sum();
    if (bytes > mostBytes) {
      try (HeldDirectory held = HeldDirectory.open(kernel, host)) {
        report(host, removeOldest(host, held, look.files, bytes));
      }
    }
  }

  private void report(Path host, int count) {
    LOG.atInfo()
        .addKeyValue("directory", host)
        .addKeyValue("removed", count)
        .addKeyValue("limit", mostBytes)
        .log("what a session host keeps was beyond its limit");
  }

  private int removeOldest(Path host, HeldDirectory held, List<Kept> files, long bytes) {
    files.sort(Comparator.comparing(Kept::changed));
    long left = bytes;
    int count = 0;
    for (Kept file : files) {
      if (left <= mostBytes / 2) { // so that it is not done again at once
        break;
      }
      remove(held, host.relativize(file.path())); // a directory goes when nothing is left in it
      left -= file.bytes();
      count++;
    }
    return count;
  }

  /** By the directories themselves: the host may have put a link in the place of one. */
  private static void remove(HeldDirectory held, Path file) {
    try {
      held.remove(file);
    } catch (IOException _) {
      // a directory that has something again, or what the host has removed or replaced itself
    }
  }

  /** A look at all files, and at directories once all in them was seen; nothing is followed. */
  private static final class Look extends SimpleFileVisitor<Path> {
    private final Path root;
    final List<Kept> files = new ArrayList<>();
    boolean tooMuch;

    Look(Path root) {
      this.root = root;
    }

    private FileVisitResult see(Path path, BasicFileAttributes attributes) {
      if (files.size() >= MOST_ENTRIES) {
        return giveUp();
      }
      long bytes = Math.clamp(attributes.size(), LEAST_BYTES, MOST_BYTES);
      files.add(new Kept(path, bytes, attributes.lastModifiedTime()));
      return FileVisitResult.CONTINUE;
    }

    private FileVisitResult giveUp() {
      tooMuch = true;
      return FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      return attributes.isDirectory() ? giveUp() : see(file, attributes); // the deepest
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      boolean isGone = e instanceof NoSuchFileException; // meanwhile
      return isGone ? FileVisitResult.CONTINUE : giveUp();
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        return giveUp();
      }
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
}
