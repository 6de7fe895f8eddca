package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.MemoryPage;
import org.junit.jupiter.api.Test;

/** The page of memory of a guest's hosts, each of which may write to all of it. */
final class HostMemoryTest {
  private final Kernel kernel = RealKernel.create();

  @Test
  void leave_hostThatWroteToALineOfNobody_leavesNothing() {
    try (HostMemory memory = new HostMemory(kernel);
        Mapping mapping =
            kernel.mmap(memory.file(), 0, MemoryPage.BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      MemoryPage page = new MemoryPage(mapping.segment());
      memory.enter(0);
      memory.enter(3);
      page.add(0, 5);
      page.add(3, 7);
      assertThat(page.add(40, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);

      memory.leave(0);

      assertThat(page.add(0, 0)).as("what the other has").isEqualTo(7);
    }
  }

  @Test
  void leave_oneOfTwoOfALine_leavesWhatTheOtherHas() {
    try (HostMemory memory = new HostMemory(kernel);
        Mapping mapping =
            kernel.mmap(memory.file(), 0, MemoryPage.BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
      MemoryPage page = new MemoryPage(mapping.segment());
      memory.enter(63);
      memory.enter(63);
      page.add(63, 9);

      memory.leave(63);
      assertThat(page.add(63, 0)).isEqualTo(9);
      memory.leave(63);
      assertThat(page.add(63, 0)).isZero();
    }
  }
}
