package io.sluice.daemon.runtime;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.config.WireSettings;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.migrate.checkpoint.FilePlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.OperationsException;

/**
 * The directories of the daemon's own files. Who may use the control socket names files that the
 * daemon writes as its user: none of them in one of these, so that he cannot make or replace what
 * the daemon reads. {@link #CHECKPOINTS} in the state directory is free.
 *
 * <p>He may own directories on the way to such a file, and put links where they were at any time.
 * So a file's directory is opened first, then looked at, and used as it is open.
 */
public final class OwnPlaces {
  /** In the state directory, which is often the only place that the daemon may write to. */
  public static final String CHECKPOINTS = "checkpoints";

  private final Path runDir;
  private final Path checkpoints;
  private final List<Path> trees = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();

  public OwnPlaces(DaemonConfig config) {
    runDir = config.runDir();
    checkpoints = config.stateDir().resolve(CHECKPOINTS);
    trees.add(config.stateDir());
    Path file = config.file();
    if (file != null) {
      trees.add(file.resolveSibling("conf.d"));
    }
    WireSettings wire = config.wire();
    if (wire != null) {
      Stream.of(wire.certificate(), wire.key(), wire.authority())
          .map(Path::getParent)
          .forEach(directories::add);
    }
  }

  /**
   * The place of a file that may become a checkpoint; the caller's.
   *
   * @param failed what an operator hears that it did not come to
   */
  public FilePlace checkpoint(Kernel kernel, String failed, String file)
      throws OperationsException {
    Path path = absolute(failed, file);
    FilePlace place = open(kernel, failed, path);
    boolean complete = false;
    try {
      Optional<Path> protector =
          among(place.real(), Stream.concat(Stream.of(runDir), trees.stream()));
      if (protector.isPresent()) {
        throw Problem.of(
                ErrorCode.CHECKPOINT_PATH,
                failed,
                path + " would be among the daemon's own files in " + protector.get(),
                "choose another directory, such as " + CHECKPOINTS + " in the state-dir")
            .exception();
      }
      requireSeen(failed, path, place.real());
      complete = true;
      return place;
    } catch (IOException e) {
      throw Problem.of(ErrorCode.CHECKPOINT_FAILED, failed, CauseText.of(e), "").exception();
    } finally {
      if (!complete) {
        place.close();
      }
    }
  }

  private static void requireSeen(String failed, Path path, Path real) throws OperationsException {
    Optional<Path> own = PrivateMounts.ofThisProcess().of(real);
    if (own.isPresent()) {
      throw Problem.of(
              ErrorCode.CHECKPOINT_PATH,
              failed,
              path + " would be in a " + own.get() + " of the service's own, which ends with it",
              "choose another directory, such as " + CHECKPOINTS + " in the state-dir")
          .exception();
    }
  }

  private static FilePlace open(Kernel kernel, String failed, Path path)
      throws OperationsException {
    try {
      return FilePlace.open(kernel, path);
    } catch (RefusedException e) {
      throw Problem.of(ErrorCode.CHECKPOINT_FAILED, failed, e.what(), e.remedy()).exception();
    }
  }

  /** Where checkpoints are when their operator names no other place; need not exist. */
  public Path checkpoints() {
    return checkpoints;
  }

  /** The whole path of a file that an operator names. */
  public static Path absolute(String failed, String file) throws OperationsException {
    return GuestSettings.parsePath(file)
        .orElseThrow(() ->
            Problem.of(
                    ErrorCode.CHECKPOINT_PATH,
                    failed,
                    "\"" + file + "\" is no absolute path",
                    "give the file's whole path")
                .exception());
  }

  /**
   * The directory that keeps a socket of others from being there, if there is one; it may be in the
   * run directory.
   */
  public Optional<Path> protectsFromSockets(Path socket) {
    return among(real(socket), trees.stream());
  }

  private Optional<Path> among(Path real, Stream<Path> protectedTrees) {
    if (real.startsWith(real(checkpoints)) && !real.equals(real(checkpoints))) {
      return Optional.empty();
    }
    return Stream.concat(
            protectedTrees.filter(tree -> real.startsWith(real(tree))),
            directories.stream().filter(each -> real(each).equals(real.getParent())))
        .findFirst();
  }

  /** Where a name leads: its nearest directory that exists counts, whatever links lead there. */
  private static Path real(Path path) {
    Path whole = path.toAbsolutePath().normalize();
    for (Path at = whole.getParent(); at != null; at = at.getParent()) {
      try {
        return at.toRealPath().resolve(at.relativize(whole));
      } catch (IOException _) {
        // not there, or not to be entered: the one above
      }
    }
    return whole;
  }
}
