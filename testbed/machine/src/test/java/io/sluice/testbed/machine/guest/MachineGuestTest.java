package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestCounters;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Real QEMU machines with our kernel module, attached to a real daemon process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MachineGuestTest {
  private static final String FIRST = "first";
  private static final String SECOND = "second";
  private static final Duration PATIENCE = Machines.PATIENCE;

  private Machines machines;
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(FIRST, SECOND));
    daemon = machines.daemon();
  }

  @AfterAll
  void stop() throws Exception {
    if (machines != null) {
      machines.close();
    }
  }

  @Test
  @Tag("long")
  void smoke_setReference_isSeenInTheControlPage() throws Exception {
    assertThat(machines.run(FIRST, "smoke")).isZero();
  }

  @Test
  void copytest_twoProcesses_needNoMessageWhileTheyWork() throws Exception {
    try (MachineGuest guest = machines.boot(FIRST, "copytest --pause 8388608")) {
      guest.await("phase: ready", PATIENCE);
      GuestCounters before = daemon.counters(FIRST);
      guest.type("");
      guest.await("phase: done", PATIENCE);
      GuestCounters after = daemon.counters(FIRST);
      guest.type("");

      assertThat(guest.awaitExit(PATIENCE)).as(guest.console()).isZero();
      assertThat(after.messages()).isEqualTo(before.messages());
      assertThat(after.hypercalls()).isEqualTo(before.hypercalls());
    }
  }

  @Test
  void machines_twoAtOnce_bothComplete() throws Exception {
    try (MachineGuest one = machines.boot(FIRST, "copytest 8388608");
        MachineGuest two = machines.boot(SECOND, "copytest 8388608")) {
      assertThat(one.awaitExit(PATIENCE)).as(one.console()).isZero();
      assertThat(two.awaitExit(PATIENCE)).as(two.console()).isZero();
    }
  }

  @Test
  void machine_killedWhileItWorks_givesEverythingBack() throws Exception {
    Daemons.awaitGone(daemon, SECOND);
    try (MachineGuest guest = machines.boot(SECOND, "copytest 8388608")) {
      guest.await("step: a: pattern", PATIENCE);
      guest.kill();
    }
    Daemons.awaitGone(daemon, SECOND);

    assertThat(machines.run(SECOND, "smoke")).isZero();
  }

  @Test
  void directoryOfTheHost_shared_isReadAndNotWritten(@TempDir Path shared) throws Exception {
    Files.writeString(shared.resolve("word"), "told");
    String look =
        "grep told /host/word && ! touch /host/word && [ -e /usr/lib/sluice/sluice-cuda-run ]";
    assertThat(machines.run(SECOND, look, "--share", shared + ":/host")).isZero();
  }

  @Test
  @Tag("long")
  void process_killedWhileItWorks_freesWhatItHeld() throws Exception {
    String killAndLook =
        "copytest --pause 8388608 </dev/zero & sleep 1; kill -9 $!; sleep 1; smoke";
    assertThat(machines.run(FIRST, killAndLook)).isZero();
  }
}
