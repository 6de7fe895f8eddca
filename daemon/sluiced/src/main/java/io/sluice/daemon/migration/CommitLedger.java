package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.daemon.runtime.DurableFile;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of guests that have become this daemon's by migration, durably: a small file for each
 * attempt.
 */
final class CommitLedger {
  private static final Logger LOG = LoggerFactory.getLogger(CommitLedger.class);
  private static final String ID = "[0-9a-f-]{36}";

  private final Path directory;
  private final ReentrantLock marking = new ReentrantLock(); // a file is made by one at a time

  /** Attempts whose records are written and flushed, under another name. */
  private final Set<UUID> prepared = ConcurrentHashMap.newKeySet();

  /**
   * Attempts of which it was said that they could not be written down. What is left of a record on
   * a disk that fails, and cannot be removed, is none.
   */
  private final Set<UUID> unwritten = ConcurrentHashMap.newKeySet();

  /**
   * @param stateDir of the daemon
   */
  CommitLedger(Path stateDir) {
    directory = stateDir.resolve("migrations");
  }

  /**
   * Writes beforehand what {@link #commit} then has only to name: a guest that comes stands still
   * for a flush less, and one that could not be written down is refused while it still runs. What
   * came earlier is over, as something waits to be this guest: it would be taken for this attempt.
   *
   * @throws RefusedException when it cannot be written; nothing of it is left then
   */
  void prepare(UUID id, String guest) {
    Path file = file(id);
    try {
      for (UUID earlier : findNotBegun(guest)) {
        markBegun(earlier);
      }
      DurableFile.stage(file, guest + "\n");
      prepared.add(id);
    } catch (IOException e) {
      throw unwritten(file, e);
    }
  }

  private static RefusedException unwritten(Path file, IOException why) {
    return new RefusedException(
        ArrivalCode.NOT_NOTED_COME,
        Errno.EIO,
        "it cannot be written down that the guest has come, " + file + ": " + why.getMessage(),
        "See to the disk of daemon.state-dir at the destination.");
  }

  /** What a former daemon had prepared when it was killed, or its disk failed, is removed. */
  void forgetFormer() {
    try {
      DurableFile.unstageAll(directory);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("directory", directory).setCause(e).log("old records stay");
    }
  }

  /** What was prepared for an attempt that came to nothing is removed. */
  void forget(UUID id) {
    if (prepared.remove(id)) {
      DurableFile.unstage(file(id));
    }
  }

  /**
   * When this returns, a daemon that starts anew knows it.
   *
   * @throws RefusedException when it cannot be written; nothing of it is left then
   */
  void commit(UUID id, String guest) {
    Path file = file(id);
    try {
      if (!prepared.remove(id) || !isPublished(file)) {
        DurableFile.write(file, guest + "\n");
      }
    } catch (IOException e) {
      unwritten.add(id);
      throw unwritten(file, e);
    }
  }

  private static boolean isPublished(Path file) {
    try {
      DurableFile.publish(file);
      return true;
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("file", file).setCause(e).log("a prepared record is not there");
      return false;
    }
  }

  /** The guest runs here: a daemon that starts anew need not see to that. */
  void begun(UUID id) {
    try {
      if (isRecorded(id)) {
        markBegun(id);
      }
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("id", id).setCause(e).log("it is not noted that a guest runs");
    }
  }

  private void markBegun(UUID id) throws IOException {
    marking.lock();
    try {
      if (!isThere(mark(id))) {
        DurableFile.write(mark(id), "");
      }
    } finally {
      marking.unlock();
    }
  }

  /** The attempts by which a guest has come of which it is not noted that it ran here. */
  List<UUID> notBegun(String guest) {
    try {
      return findNotBegun(guest);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("guest", guest).setCause(e).log("records cannot be read");
      return List.of();
    }
  }

  private List<UUID> findNotBegun(String guest) throws IOException {
    if (!isThere(directory)) {
      return List.of();
    }
    List<UUID> found = new ArrayList<>();
    try (DirectoryStream<Path> records = Files.newDirectoryStream(directory)) {
      for (Path record : records) {
        String name = String.valueOf(record.getFileName());
        if (name.matches(ID)
            && !isThere(mark(UUID.fromString(name)))
            && Files.readString(record).strip().equals(guest)) {
          found.add(UUID.fromString(name));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private Path mark(UUID id) {
    return directory.resolve(id + ".runs");
  }

  /**
   * Whether there is a record of an attempt.
   *
   * @throws RefusedException when that cannot be told
   */
  boolean isCommitted(UUID id) {
    try {
      return isRecorded(id);
    } catch (IOException e) {
      throw new RefusedException(
          ArrivalCode.NOTE_UNREADABLE,
          Errno.EIO,
          "it cannot be told whether the guest has come, " + file(id) + ": " + e.getMessage(),
          "See to the disk of daemon.state-dir at the destination.");
    }
  }

  private boolean isRecorded(UUID id) throws IOException {
    return !unwritten.contains(id) && isThere(file(id));
  }

  /** A file that cannot be looked at is not one that is not there. */
  private static boolean isThere(Path file) throws IOException {
    try {
      BasicFileAttributes _ = Files.readAttributes(file, BasicFileAttributes.class);
      return true;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  private Path file(UUID id) {
    return directory.resolve(id.toString());
  }
}
