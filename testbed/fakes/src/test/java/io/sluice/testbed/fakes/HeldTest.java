package io.sluice.testbed.fakes;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.Held;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeldTest {
  private final Kernel kernel = RealKernel.create();

  @Test
  void beyond_openedSince_isSeenUntilClosed() {
    Held before = Held.now();
    Fd memfd = kernel.memfdCreate("leak-check", 8192);
    Fd event = kernel.eventfd(0, 0);
    List<Fd> pair = kernel.socketpair();
    Mapping mapping = kernel.mmap(memfd, 0, 8192, Kernel.PROT_READ);

    Held leaked = Held.now().beyond(before);
    assertThat(leaked.fds()).hasSize(4).containsKey(memfd.number());
    assertThat(leaked.mappedBytes()).containsValue(8192L);

    memfd.close();
    assertThat(Held.now().beyond(before).mappedBytes()).hasSize(1);
    mapping.close();
    event.close();
    pair.forEach(Fd::close);
    assertThat(Held.now().beyond(before).isEmpty()).isTrue();
  }
}
