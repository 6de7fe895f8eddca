package io.sluice.remoting.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.FakeKernel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments that cannot be mapped, and what a range is of. */
final class SharedMemoryTest {
  private static final long BYTES = 16 * Kernel.PAGE_BYTES;

  private final FakeKernel kernel = new FakeKernel();
  private final SharedMemory memory = new SharedMemory(kernel, 4 * BYTES);
  private Fd file;

  @BeforeEach
  void start() {
    file = sealed();
  }

  @AfterEach
  void stop() {
    file.close();
    memory.close();
    assertThat(kernel.openFds()).isEmpty();
  }

  private Fd sealed() {
    Fd made = kernel.memfdCreate("segment", BYTES);
    kernel.addSeals(made, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
    return made;
  }

  @Test
  void add_fileThatCannotBeMapped_isNotKept() {
    kernel.fail("mmap", 1, Errno.ENOMEM);
    assertThatThrownBy(() -> memory.add(1, file, BYTES)).isInstanceOf(ProtocolException.class);
    assertThat(kernel.openFds()).hasSize(1);
    assertThatThrownBy(() -> memory.backing(1)).isInstanceOf(ProtocolException.class);
    memory.add(1, file, BYTES);
    assertThat(memory.backing(1).files()).hasSize(1);
  }

  @Test
  void add_piecesThatCannotBeMapped_keepTheFilesOfOthers() {
    memory.add(0, file, BYTES);
    try (Fd other = sealed()) {
      List<FilePiece> pieces = List.of(new FilePiece(other, 0, BYTES / 2));
      kernel.fail("mmap", 1, Errno.ENOMEM);
      assertThatThrownBy(() -> memory.add(1, pieces)).isInstanceOf(ProtocolException.class);
    }
    assertThat(kernel.openFds()).hasSize(2); // the test's, and the one that is kept
    assertThat(memory.backing(0).files()).hasSize(1);
  }

  @Test
  void around_rangeOfASegment_isThatSegment() {
    memory.add(0, file, BYTES);
    memory.add(1, file, BYTES);
    long second = 1L << 48;
    assertThat(memory.around(memory.slice(second + 100, 50)).address())
        .isEqualTo(memory.segment(1).address());
    assertThat(memory.around(memory.slice(second + 100, 50)).byteSize()).isEqualTo(BYTES);
  }
}
