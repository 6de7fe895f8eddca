package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Files of huge pages, which are mapped by whole pages only. Where the host has none free
 * (vm.nr_hugepages) some of this is left out.
 */
final class HugePagesTest {
  private static final int MFD_HUGETLB = 4;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final long PAGE = 4096;
  private static final int BOTH = Kernel.PROT_READ | Kernel.PROT_WRITE;

  private final Kernel kernel = RealKernel.create();

  private static Fd hugeFile() {
    try (Arena arena = Arena.ofConfined()) {
      return Calls.own(
          Calls.check(
              Libc.memfdCreate(arena.allocateFrom("huge"), MFD_HUGETLB | MFD_ALLOW_SEALING),
              "memfd_create",
              () -> "MFD_HUGETLB"));
    }
  }

  private Fd hugeFile(int pages) {
    Fd file = hugeFile();
    assertThat(Libc.ftruncate(file.number(), pages * kernel.pageBytes(file))).isZero();
    return file;
  }

  private static long freePages() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith("HugePages_Free:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
          .findFirst()
          .orElse(0);
    }
  }

  private static long mappings() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains("memfd:huge")).count();
    }
  }

  @Test
  void pageBytes_ofHugePages_areNotThoseOfOthers() {
    try (Fd huge = hugeFile();
        Fd small = kernel.memfdCreate("small", PAGE)) {
      assertThat(kernel.pageBytes(huge)).isGreaterThan(PAGE).matches(n -> Long.bitCount(n) == 1);
      assertThat(kernel.pageBytes(small)).isEqualTo(PAGE);
    }
  }

  @Test
  void mmap_whereThereAreNoPages_isRefused() throws IOException {
    assumeThat(Files.readString(Path.of("/proc/sys/vm/nr_overcommit_hugepages")).strip())
        .isEqualTo("0");
    try (Fd file = hugeFile((int) freePages() + 1)) {
      long bytes = kernel.fstat(file).sizeBytes();
      assertThatThrownBy(() -> kernel.mmap(file, 0, bytes, BOTH))
          .isInstanceOfSatisfying(
              SyscallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM.number()));
    }
    assertThat(mappings()).isZero();
  }

  @Test
  void mmap_partsOfPages_areThoseBytesAndAllGoes() throws IOException {
    assumeThat(freePages()).isGreaterThanOrEqualTo(2);
    try (Fd file = hugeFile(2)) {
      long page = kernel.pageBytes(file);
      try (Mapping all = kernel.mmap(file, 0, 2 * page, BOTH);
          Mapping across = kernel.mmap(file, page - PAGE, 2 * PAGE, BOTH)) {
        across.segment().set(ValueLayout.JAVA_BYTE, PAGE - 1, (byte) 1);
        across.segment().set(ValueLayout.JAVA_BYTE, PAGE, (byte) 2);

        assertThat(across.sizeBytes()).isEqualTo(2 * PAGE);
        assertThat(all.segment().get(ValueLayout.JAVA_BYTE, page - 1)).isEqualTo((byte) 1);
        assertThat(all.segment().get(ValueLayout.JAVA_BYTE, page)).isEqualTo((byte) 2);
      }
      assertThat(mappings()).isZero();
    }
  }

  /** It would be mapped whole, over what stands behind the pieces. */
  @Test
  void mmapPieces_thatEndInAPage_areRefused() throws IOException {
    try (Fd file = hugeFile(2)) {
      long page = kernel.pageBytes(file);
      for (FilePiece piece :
          List.of(new FilePiece(file, 0, PAGE), new FilePiece(file, PAGE, page))) {
        assertThatThrownBy(() -> kernel.mmapPieces(List.of(piece)))
            .isInstanceOfSatisfying(
                SyscallException.class,
                e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL.number()));
      }
    }
    assertThat(mappings()).isZero();
  }
}
