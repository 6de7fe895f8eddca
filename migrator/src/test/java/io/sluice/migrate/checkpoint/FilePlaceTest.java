package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Places of files that somebody else names. */
final class FilePlaceTest {
  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  @ParameterizedTest
  @ValueSource(strings = {"/", "/tmp/..", "/tmp/.", "name"})
  void open_noNameOfAFile_isRefused(String file) {
    assertThatThrownBy(() -> FilePlace.open(kernel, Path.of(file)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-CKP-001");
  }

  @Test
  void open_noDirectory_isRefusedAndSaysWhy() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> FilePlace.open(kernel, directory.resolve("none/file")))
        .hasMessageContaining("there is no directory ");
    assertThatThrownBy(() -> FilePlace.open(kernel, file.resolve("file")))
        .hasMessageContaining("is no directory");
  }

  @Test
  void real_directoryBehindLinks_isWhereItIs() throws Exception {
    Path own = Files.createDirectory(directory.toRealPath().resolve("own"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), own);
    try (FilePlace place = FilePlace.open(kernel, link.resolve("../link/file"))) {
      assertThat(place.real()).isEqualTo(own.resolve("file"));
      assertThat(place.named()).isEqualTo(link.resolve("../link/file"));
    }
  }

  @Test
  void used_directoryThatIsALinkNow_isTheOneThatWasOpened() throws Exception {
    Path theirs = Files.createDirectory(directory.resolve("theirs"));
    Path own = Files.createDirectory(directory.resolve("own"));
    try (FilePlace place = FilePlace.open(kernel, theirs.resolve("file"))) {
      Path moved = Files.move(theirs, directory.resolve("moved"));
      Path _ = Files.createSymbolicLink(theirs, own);

      Path _ = Files.createFile(place.used(".partial"));

      assertThat(moved.resolve("file.partial")).exists();
      assertThat(own).isEmptyDirectory();
    }
  }
}
