package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.SyscallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RealKernelFilesTest {
  private static final long PAGE = 4096;
  private static final long TMPFS_MAGIC = 0x01021994;
  private static final int SEALS = Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL;

  private final Kernel kernel = RealKernel.create();

  private static void assertErrno(ThrowingCallable call, String name, Errno errno) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SyscallException.class,
            failure -> {
              assertThat(failure.call()).isEqualTo(name);
              assertThat(failure.errno()).isEqualTo(errno.number());
              assertThat(failure)
                  .hasMessageContaining(errno.name())
                  .hasMessageContaining("SLU-SYS-001");
            });
  }

  @Test
  void memfdCreate_nameTooLong_einval() {
    assertErrno(() -> kernel.memfdCreate("n".repeat(250), PAGE), "memfd_create", Errno.EINVAL);
  }

  @Test
  void memfdCreate_negativeSize_einvalAndNoFdLeft() {
    assertErrno(() -> kernel.memfdCreate("negative", -1), "ftruncate", Errno.EINVAL);
  }

  @Test
  void addSeals_afterSealSeal_eperm() {
    try (Fd fd = kernel.memfdCreate("sealed", PAGE)) {
      kernel.addSeals(fd, SEALS);
      assertErrno(() -> kernel.addSeals(fd, Kernel.F_SEAL_GROW), "fcntl", Errno.EPERM);
    }
  }

  @Test
  void getSeals_ofMemfd_returnsWhatWasAdded() {
    try (Fd fd = kernel.memfdCreate("sealed", PAGE)) {
      assertThat(kernel.getSeals(fd)).isZero();
      kernel.addSeals(fd, SEALS);
      assertThat(kernel.getSeals(fd)).isEqualTo(SEALS);
    }
  }

  @Test
  void getSeals_ofAnotherFile_einval() {
    try (Fd fd = kernel.open(Path.of("/dev/zero"), Kernel.O_RDWR)) {
      assertErrno(() -> kernel.getSeals(fd), "fcntl", Errno.EINVAL);
    }
  }

  @Test
  void open_missingFile_enoentNamesPath() {
    assertThatThrownBy(() -> kernel.open(Path.of("/nonexistent/x"), 0))
        .hasMessageContaining("path=/nonexistent/x")
        .hasMessageContaining("ENOENT");
  }

  @Test
  void open_newFile_isItsOwnersAlone(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("new");
    try (Fd _ = kernel.open(file, 0xc1)) { // O_WRONLY | O_CREAT | O_EXCL
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void punchHole_afterWrite_readsZeroAndFreesBlocks() {
    try (Fd fd = kernel.memfdCreate("holes", 16 * PAGE);
        Mapping mapping = kernel.mmap(fd, 0, 16 * PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      mapping.segment().fill((byte) 0x5a);
      assertThat(kernel.fstat(fd).allocatedBytes()).isEqualTo(16 * PAGE);

      kernel.punchHole(fd, 4 * PAGE, 8 * PAGE);

      assertThat(kernel.fstat(fd).allocatedBytes()).isEqualTo(8 * PAGE);
      assertThat(kernel.fstat(fd).sizeBytes()).isEqualTo(16 * PAGE);
      assertThat(mapping.segment().get(Layouts.U8, 4 * PAGE)).isZero();
      assertThat(mapping.segment().get(Layouts.U8, 12 * PAGE - 1)).isZero();
      assertThat(mapping.segment().get(Layouts.U8, 4 * PAGE - 1)).isEqualTo((byte) 0x5a);
      assertThat(mapping.segment().get(Layouts.U8, 12 * PAGE)).isEqualTo((byte) 0x5a);
    }
  }

  @Test
  void punchHole_negativeOffset_einval() {
    try (Fd fd = kernel.memfdCreate("holes", PAGE)) {
      assertErrno(() -> kernel.punchHole(fd, -1, PAGE), "fallocate", Errno.EINVAL);
    }
  }

  @Test
  void fstat_ofMemfd_isRegularFileOnTmpfs() {
    try (Fd fd = kernel.memfdCreate("stat", 3 * PAGE);
        Fd twin = kernel.dup(fd)) {
      FileStatus status = kernel.fstat(fd);
      assertThat(status.isRegular()).isTrue();
      assertThat(status.sizeBytes()).isEqualTo(3 * PAGE);
      assertThat(status.blocks()).isZero();
      assertThat(status.inode()).isEqualTo(kernel.fstat(twin).inode());
      assertThat(kernel.fileSystemType(fd)).isEqualTo(TMPFS_MAGIC);
    }
  }

  @Test
  void mmap_twoMappingsOfOneFile_shareBytes() {
    try (Fd fd = kernel.memfdCreate("shared", 2 * PAGE);
        Mapping whole = kernel.mmap(fd, 0, 2 * PAGE, Kernel.PROT_READ | Kernel.PROT_WRITE);
        Mapping second = kernel.mmap(fd, PAGE, PAGE, Kernel.PROT_READ)) {
      whole.segment().set(Layouts.U32, PAGE + 8, 0xcafe);
      assertThat(second.segment().get(Layouts.U32, 8)).isEqualTo(0xcafe);
      assertThat(second.sizeBytes()).isEqualTo(PAGE);
      assertThat(second.segment().isReadOnly()).isTrue();
    }
  }

  @Test
  void mmapPieces_ofTwoFiles_standOneBehindTheOther() {
    try (Fd one = kernel.memfdCreate("one", 4 * PAGE);
        Fd two = kernel.memfdCreate("two", PAGE);
        Mapping all =
            kernel.mmapPieces(
                List.of(
                    new FilePiece(one, 2 * PAGE, 2 * PAGE),
                    new FilePiece(two, 0, PAGE),
                    new FilePiece(one, 0, PAGE)));
        Mapping first = kernel.mmap(one, 0, 4 * PAGE, Kernel.PROT_READ);
        Mapping second = kernel.mmap(two, 0, PAGE, Kernel.PROT_READ)) {
      assertThat(all.sizeBytes()).isEqualTo(4 * PAGE);
      all.segment().set(ValueLayout.JAVA_BYTE, 2 * PAGE - 1, (byte) 1);
      all.segment().set(ValueLayout.JAVA_BYTE, 2 * PAGE, (byte) 2);
      all.segment().set(ValueLayout.JAVA_BYTE, 3 * PAGE, (byte) 3);
      assertThat(first.segment().get(ValueLayout.JAVA_BYTE, 4 * PAGE - 1)).isEqualTo((byte) 1);
      assertThat(second.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 2);
      assertThat(first.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
    }
  }

  @Test
  void mmapPieces_oneThatIsNone_leavesNothingMapped() {
    try (Fd file = kernel.memfdCreate("file", PAGE);
        Fd event = kernel.eventfd(0, 0)) {
      List<FilePiece> pieces = List.of(new FilePiece(file, 0, PAGE), new FilePiece(event, 0, PAGE));
      assertErrno(() -> kernel.mmapPieces(pieces), "mmap", Errno.ENODEV);
    }
  }

  @Test
  void mmap_badArguments_einval() {
    try (Fd fd = kernel.memfdCreate("bad", PAGE)) {
      assertErrno(() -> kernel.mmap(fd, 0, 0, Kernel.PROT_READ), "mmap", Errno.EINVAL);
      assertErrno(() -> kernel.mmap(fd, 12, PAGE, Kernel.PROT_READ), "mmap", Errno.EINVAL);
    }
  }

  @Test
  void mapping_afterClose_throwsInsteadOfTouchingMemory() {
    try (Fd fd = kernel.memfdCreate("closed", PAGE)) {
      Mapping mapping = kernel.mmap(fd, 0, PAGE, Kernel.PROT_READ);
      MemorySegment segment = mapping.segment();
      mapping.close();
      mapping.close();
      assertThatThrownBy(() -> segment.get(Layouts.U8, 0))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void adopt_numberOfOpenFile_ownsIt() {
    Fd original = kernel.memfdCreate("adopted", PAGE);
    try (Fd adopted = kernel.adopt(original.number())) {
      assertThat(kernel.fstat(adopted).sizeBytes()).isEqualTo(PAGE);
    }
    assertErrno(() -> kernel.fstat(original), "fstat", Errno.EBADF);
    assertThatThrownBy(original::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void adopt_closedNumber_ebadf() {
    assertErrno(() -> kernel.adopt(1_000_000), "fcntl", Errno.EBADF);
  }

  @Test
  void ioctl_deviceWithoutIoctls_enotty() {
    try (Fd fd = kernel.open(Path.of("/dev/zero"), Kernel.O_RDWR);
        Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(64);
      assertErrno(() -> kernel.ioctl(fd, 0xC0406400L, argument), "ioctl", Errno.ENOTTY);
    }
  }

  @Test
  void readAndWrite_ofMemfd_moveBytesAndStopAtTheEnd() {
    try (Fd fd = kernel.memfdCreate("bytes", 8);
        Fd reader = kernel.open(Path.of("/proc/self/fd/" + fd.number()), 0);
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(Layouts.U64, 0x1122334455667788L);
      assertThat(kernel.write(fd, bytes)).isEqualTo(8);
      MemorySegment read = arena.allocate(16);
      assertThat(kernel.read(reader, read)).isEqualTo(8);
      assertThat(read.get(Layouts.U64, 0)).isEqualTo(0x1122334455667788L);
      assertThat(kernel.read(reader, read)).isZero();
      assertErrno(() -> kernel.write(reader, bytes), "write", Errno.EBADF);
    }
  }

  @Test
  void setDefaultAccess_ofADirectory_filesMadeInItAreTheOtherUsersToo(@TempDir Path directory)
      throws IOException {
    try {
      kernel.setDefaultAccess(directory, new AccessList(65_534));
    } catch (SyscallException e) {
      assumeTrue(e.errno() != Errno.EOPNOTSUPP.number(), "a file system without ACLs");
      throw e;
    }

    Path made =
        Files.createFile(
            directory.resolve("made"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-rw----")));

    // Of a file with an ACL the group's bits are the mask: what the other user has at most.
    assertThat(Files.getPosixFilePermissions(made))
        .isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
    kernel.setAccess(made, new AccessList(65_534));
    assertThat(Files.getPosixFilePermissions(made))
        .isEqualTo(PosixFilePermissions.fromString("rwxrwx---"));
  }

  @Test
  void setAccess_nothingThere_enoent(@TempDir Path directory) {
    assertErrno(
        () -> kernel.setAccess(directory.resolve("none"), new AccessList(1)),
        "setxattr",
        Errno.ENOENT);
  }
}
