package io.sluice.daemon.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.migrate.checkpoint.CheckpointWriter;
import io.sluice.migrate.checkpoint.FilePlace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.management.OperationsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that operators name, who own the directories on the way there. */
final class OwnPlacesTest {
  private static final String FAILED = "no checkpoint";

  @TempDir private Path dir;
  private final Kernel kernel = RealKernel.create();
  private Path state = Path.of("");
  private Path theirs = Path.of("");

  @BeforeEach
  void makeDirectories() throws Exception {
    state = Files.createDirectory(dir.resolve("state"));
    theirs = Files.createDirectories(dir.resolve("home/theirs"));
    Path _ = Files.createDirectory(state.resolve(OwnPlaces.CHECKPOINTS));
  }

  private FilePlace checkpoint(Path file) throws Exception {
    OwnPlaces places =
        new OwnPlaces(
            new ConfigLoader(
                    Map.of(),
                    Map.of(
                        "daemon.state-dir",
                        state.toString(),
                        "daemon.run-dir",
                        dir.resolve("run").toString()))
                .load());
    return places.checkpoint(kernel, FAILED, file.toString());
  }

  @Test
  void checkpoint_linkIntoTheStateDirectory_isRefused() throws Exception {
    Files.delete(theirs);
    Path _ = Files.createSymbolicLink(theirs, state);

    assertThatThrownBy(() -> checkpoint(theirs.resolve("guests.toml")))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-080");
  }

  @Test
  void checkpoint_noDirectory_isRefused() {
    assertThatThrownBy(() -> checkpoint(dir.resolve("none/guest")))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-057")
        .hasMessageContaining("there is no directory ");
  }

  @Test
  void checkpoint_noNameOfAFile_isRefused() {
    assertThatThrownBy(() -> checkpoint(Path.of("/")))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("it is no name of a file");
  }

  @Test
  void checkpoint_directoryThatBecomesALinkAfterwards_isNotAmongTheDaemonsFiles() throws Exception {
    FilePlace place = checkpoint(theirs.resolve("guests.toml"));
    Path moved = Files.move(theirs, dir.resolve("moved"));
    Path _ = Files.createSymbolicLink(theirs, state);

    try (CheckpointWriter _ = CheckpointWriter.create(place)) {
      assertThat(moved.resolve("guests.toml.partial")).exists();
      assertThat(state).isDirectoryNotContaining("glob:**.partial");
    }
    assertThat(moved).isEmptyDirectory();
  }

  @Test
  void checkpoint_directoryAboveThatBecomesALinkAfterwards_isNotAmongTheDaemonsFiles()
      throws Exception {
    Path inState = Files.createDirectory(state.resolve("theirs"));
    FilePlace place = checkpoint(theirs.resolve("guests.toml"));
    Path moved = Files.move(dir.resolve("home"), dir.resolve("moved"));
    Path _ = Files.createSymbolicLink(dir.resolve("home"), state);

    try (CheckpointWriter _ = CheckpointWriter.create(place)) {
      assertThat(moved.resolve("theirs/guests.toml.partial")).exists();
      assertThat(inState).isEmptyDirectory();
    }
  }

  @Test
  void checkpoint_inTheDirectoryOfCheckpoints_isTaken() throws Exception {
    Path checkpoints = state.resolve(OwnPlaces.CHECKPOINTS);
    try (CheckpointWriter _ = CheckpointWriter.create(checkpoint(checkpoints.resolve("guest")))) {
      assertThat(checkpoints.resolve("guest.partial")).exists();
    }
  }
}
