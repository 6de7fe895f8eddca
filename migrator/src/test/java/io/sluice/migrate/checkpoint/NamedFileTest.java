package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The opening of what somebody else names: no look at it comes before. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NamedFileTest {
  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  /** Nobody has its other end open. */
  static void replaceByFifo(Path file) {
    try {
      Files.deleteIfExists(file);
      Process mkfifo = new ProcessBuilder("mkfifo", file.toString()).inheritIO().start();
      assertThat(mkfifo.waitFor()).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void open_fifo_isRefusedAtOnce() {
    Path fifo = directory.resolve("fifo");
    replaceByFifo(fifo);
    for (StandardOpenOption how :
        new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}) {
      assertThatThrownBy(() -> NamedFile.open(kernel, fifo, how))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("it is no file");
    }
    assertThat(SessionFileReader.idOf(kernel, fifo)).isEmpty();
  }

  @Test
  void open_directoryDeviceOrNothing_isRefused() {
    for (Path none : new Path[] {directory, Path.of("/dev/zero")}) {
      assertThatThrownBy(() -> NamedFile.open(kernel, none, StandardOpenOption.READ))
          .hasMessageContaining("it is no file");
    }
    assertThatThrownBy(
            () -> NamedFile.open(kernel, directory.resolve("none"), StandardOpenOption.READ))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void open_linkToAFile_isFollowedUnlessSaidOtherwise() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "text");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    try (FileChannel channel = NamedFile.open(kernel, link, StandardOpenOption.READ)) {
      assertThat(channel.size()).isEqualTo(4);
    }
    assertThatThrownBy(
            () -> NamedFile.open(kernel, link, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))
        .hasMessageContaining("it is no file");
  }
}
