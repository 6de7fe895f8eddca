package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The C library's compute in real QEMU machines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ComputeGuestTest {
  private static final String GUEST = "guest";

  private Machines machines;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (machines != null) {
      machines.close();
    }
  }

  @Test
  void misuse_everyWayToGoWrong_endsThatChannelOnly() throws Exception {
    assertThat(machines.run(GUEST, "misuse")).isZero();
  }

  @Test
  void workloads_byInterruptAndByPolling_giveTheReference() throws Exception {
    String all =
        "mmul --size 256 && lud --size 256 && nn && backprop"
            + " && mmul --size 64 --runs 2 --wait poll && lud --size 64 --wait poll"
            + " && nn --size 1000 --wait poll && backprop --size 256 --iterations 2 --wait poll";
    assertThat(machines.run(GUEST, all)).isZero();
  }

  @Test
  void workload_whileItWorks_needsNoMessage() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    try (MachineGuest guest = machines.boot(GUEST, "lud --pause --size 128")) {
      guest.await("phase: ready", Machines.PATIENCE);
      GuestCounters before = machines.daemon().counters(GUEST);
      guest.type("");
      guest.await("phase: done", Machines.PATIENCE);
      GuestCounters after = machines.daemon().counters(GUEST);
      guest.type("");

      assertThat(guest.awaitExit(Machines.PATIENCE)).as(guest.console()).isZero();
      assertThat(after.messages()).isEqualTo(before.messages());
      assertThat(after.hypercalls()).isEqualTo(before.hypercalls());
    }
  }
}
