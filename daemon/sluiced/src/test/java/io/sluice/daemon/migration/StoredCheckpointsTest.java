package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.OperationsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of places where there are no checkpoints; ProcessCheckpointTest has one of some. */
final class StoredCheckpointsTest {
  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  @Test
  void list_usualDirectoryThatIsNotThere_isEmpty() throws Exception {
    assertThat(StoredCheckpoints.list(kernel, directory.resolve("checkpoints"), "")).isEmpty();
  }

  @Test
  void list_pathsThatAreNone_saysWhy() throws Exception {
    Path text = Files.writeString(directory.resolve("text"), "mine");

    assertThatThrownBy(() -> StoredCheckpoints.list(kernel, directory, "here"))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("no absolute path");
    assertThatThrownBy(() -> StoredCheckpoints.list(kernel, directory, directory + "/gone"))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("there is no " + directory + "/gone");
    assertThatThrownBy(() -> StoredCheckpoints.list(kernel, directory, text.toString()))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("is not a checkpoint of Sluice");
  }

  @Test
  void list_directoryOfOtherFiles_leavesThemOut() throws Exception {
    Files.writeString(directory.resolve("text"), "mine");
    Files.createDirectory(directory.resolve("directory"));
    Files.createSymbolicLink(directory.resolve("loop"), directory.resolve("loop"));

    assertThat(StoredCheckpoints.list(kernel, directory, "")).isEmpty();
  }

  @Test
  void list_directoryWithMoreFilesThanAreLookedInto_isRefused() throws Exception {
    for (int i = 0; i <= StoredCheckpoints.MOST_FILES; i++) {
      Files.createFile(directory.resolve("file-" + i));
    }

    assertThatThrownBy(() -> StoredCheckpoints.list(kernel, directory, ""))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("has more than 1024 files");
  }
}
