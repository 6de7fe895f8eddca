package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.control.MemoryPage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The page of memory of a guest's hosts, each of which may write to all of it. */
final class HostMemoryTest {
  private final Kernel kernel = RealKernel.create();
  private final HostMemory memory = new HostMemory(kernel);
  private final Mapping mapping =
      kernel.mmap(memory.file(), 0, MemoryPage.BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
  private final MemoryPage page = new MemoryPage(mapping.segment()); // as a host has it

  @AfterEach
  void close() {
    mapping.close();
    memory.close();
  }

  @Test
  void leave_hostThatWroteToALineOfNobody_leavesNothing() {
    memory.enter(0);
    memory.enter(3);
    page.add(0, 5);
    page.add(3, 7);
    assertThat(page.add(40, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);

    memory.leave(0);

    assertThat(page.add(0, 0)).as("what the other has").isEqualTo(7);
  }

  @Test
  void leave_oneOfTwoOfALine_leavesWhatTheOtherHas() {
    memory.enter(63);
    memory.enter(63);
    page.add(63, 9);

    memory.leave(63);
    assertThat(page.add(63, 0)).isEqualTo(9);
    memory.leave(63);
    assertThat(page.add(63, 0)).isZero();
  }
}
