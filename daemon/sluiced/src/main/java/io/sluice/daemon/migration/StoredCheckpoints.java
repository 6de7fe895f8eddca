package io.sluice.daemon.migration;

import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.OwnPlaces;
import io.sluice.management.CheckpointView;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.migrate.checkpoint.CheckpointHead;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import javax.management.OperationsException;

/** Files that guests were written to, as they lie in a directory. */
final class StoredCheckpoints {
  /** Files of one directory that are looked into. */
  static final int MOST_FILES = 1024;

  private StoredCheckpoints() {}

  /**
   * Those in a directory, or one alone.
   *
   * @param usual where they are when no path is given; need not exist
   * @param named a directory or a file, absolute; may be empty
   */
  static List<CheckpointView> list(Kernel kernel, Path usual, String named)
      throws OperationsException {
    String failed = "no list of checkpoints";
    if (named.isEmpty() && !Files.exists(usual)) {
      return List.of();
    }
    Path path = named.isEmpty() ? usual : OwnPlaces.absolute(failed, named);
    try {
      if (Files.isDirectory(path)) {
        return ofDirectory(kernel, failed, path);
      }
      return List.of(
          look(kernel, path)
              .orElseThrow(() ->
                  problem(
                      failed,
                      Files.exists(path)
                          ? path + " is not a checkpoint of Sluice"
                          : "there is no " + path,
                      "name a file that guest checkpoint has written, or its directory")));
    } catch (IOException e) {
      throw problem(failed, CauseText.of(e), "the daemon's user must be able to read it");
    }
  }

  private static List<CheckpointView> ofDirectory(Kernel kernel, String failed, Path directory)
      throws IOException, OperationsException {
    TreeSet<Path> files = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (files.size() == MOST_FILES) {
          throw problem(
              failed,
              directory + " has more than " + MOST_FILES + " files",
              "keep checkpoints in directories of their own");
        }
        files.add(entry);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    List<CheckpointView> found = new ArrayList<>();
    for (Path file : files) {
      lookIfReadable(kernel, file).ifPresent(found::add);
    }
    return found;
  }

  /** Others may keep files beside them that are not the daemon's to read. */
  private static Optional<CheckpointView> lookIfReadable(Kernel kernel, Path file) {
    try {
      return look(kernel, file);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Optional<CheckpointView> look(Kernel kernel, Path file) throws IOException {
    Optional<CheckpointHead> head = CheckpointHead.of(kernel, file);
    if (head.isEmpty()) {
      return Optional.empty();
    }
    CheckpointHead of = head.get();
    return Optional.of(
        new CheckpointView(
            file.toString(),
            of.kind().name().toLowerCase(Locale.ROOT),
            of.guest(),
            of.videoBytes(),
            Files.size(file),
            Files.getLastModifiedTime(file).toMillis(),
            of.ended() ? CheckpointView.COMPLETE : CheckpointView.INCOMPLETE));
  }

  private static OperationsException problem(String failed, String cause, String fix) {
    return Problem.of(ErrorCode.CHECKPOINT_FAILED, failed, cause, fix).exception();
  }
}
