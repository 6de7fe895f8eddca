package io.sluice.migrate.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files in directories where others can write. */
final class StagedFileTest {
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");
  private static final byte[] BEGUN = begun();

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();

  private static byte[] begun() {
    ByteBuffer bytes = ByteBuffer.allocate(SessionFileWriter.HEAD.sizeBytes());
    SessionFileWriter.HEAD.write(bytes);
    return bytes.array();
  }

  private Path file() {
    return directory.resolve("file");
  }

  private Path staged() {
    return directory.resolve("file.partial");
  }

  private StagedFile create() {
    return StagedFile.create(FilePlace.open(kernel, file()), SessionFileWriter.HEAD, _ -> false);
  }

  private void write() throws Exception {
    StagedFile made = create();
    made.end();
    made.publish();
  }

  /** Whoever made it has it open, and could read what is written there. */
  @Test
  void create_emptyFileForAll_isNotWrittenTo() throws Exception {
    Files.setPosixFilePermissions(
        Files.createFile(staged()), PosixFilePermissions.fromString("rw-rw-rw-"));
    try (FileChannel theirs = FileChannel.open(staged(), StandardOpenOption.READ)) {
      write();
      assertThat(theirs.size()).isZero();
    }
    assertThat(Files.getPosixFilePermissions(file())).isEqualTo(OWNERS);
    assertThat(file()).isNotEmptyFile();
    assertThat(staged()).doesNotExist();
  }

  @Test
  void create_fileWithAnotherName_isNotWrittenTo() throws Exception {
    Path theirs = Files.write(directory.resolve("theirs"), BEGUN);
    Files.createLink(staged(), theirs);
    write();
    assertThat(theirs).hasBinaryContent(BEGUN);
    assertThat(Files.getAttribute(file(), "unix:nlink")).isEqualTo(1);
  }

  @Test
  void create_leftByAnEarlierAttempt_isReplaced() throws Exception {
    Files.write(staged(), BEGUN);
    write();
    assertThat(Files.size(file())).isGreaterThan(BEGUN.length);
    assertThat(staged()).doesNotExist();
  }

  @Test
  void create_linkToNothing_isRefusedAndMakesNothing() throws Exception {
    Path nowhere = directory.resolve("nowhere");
    Files.createSymbolicLink(staged(), nowhere);
    assertThatThrownBy(this::create).hasMessageContaining("SLU-CKP-007");
    assertThat(nowhere).doesNotExist();
  }

  /** Whose directory it is puts it there between the look and the opening. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void create_fifoPutInTheFilesPlace_isRefusedAndWaitsForNobody() throws Exception {
    Files.write(staged(), BEGUN);
    FilePlace place = FilePlace.open(kernel, file());
    assertThatThrownBy(() ->
            StagedFile.create(
                place,
                SessionFileWriter.HEAD,
                _ -> {
                  NamedFileTest.replaceByFifo(staged());
                  return false;
                }))
        .hasMessageContaining("SLU-CKP-001")
        .hasMessageContaining("it is no file");
  }

  @Test
  void create_whileAnotherIsWritten_isRefusedAndLeavesIt() throws Exception {
    StagedFile first = create();
    assertThatThrownBy(this::create).hasMessageContaining("another one is written there");
    first.end();
    first.publish();
    assertThat(Files.getPosixFilePermissions(file())).isEqualTo(OWNERS);
    write(); // in its place
    assertThat(directory).isDirectoryContaining("glob:**/file");
  }
}
