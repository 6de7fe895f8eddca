package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.GuestCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Real QEMU machines with our kernel module, attached to a real daemon process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MachineGuestTest {
  private static final String FIRST = "first";
  private static final String SECOND = "second";
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private MachineEnvironment environment;
  private Path image;
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(
        found.isPresent(), "no machine environment: run ./sluice test, not mvn, to have one made");
    environment = found.get();
    image = environment.image();
    daemon = DaemonProcess.start(directory, List.of(FIRST, SECOND));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  @Test
  void smoke_setReference_isSeenInTheControlPage() throws Exception {
    assertThat(run(FIRST, "smoke")).isZero();
  }

  @Test
  void refuse_everyWrongCall_getsItsErrno() throws Exception {
    assertThat(run(FIRST, "refuse")).isZero();
  }

  @Test
  void module_unloadAndReload_worksAgain() throws Exception {
    assertThat(run(FIRST, "smoke && rmmod sluice && insmod /lib/modules/sluice.ko && smoke"))
        .isZero();
  }

  @Test
  void copytest_twoProcesses_needNoMessageWhileTheyWork() throws Exception {
    try (MachineGuest guest = boot(FIRST, "copytest --pause 8388608")) {
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
    try (MachineGuest one = boot(FIRST, "copytest 8388608");
        MachineGuest two = boot(SECOND, "copytest 8388608")) {
      assertThat(one.awaitExit(PATIENCE)).as(one.console()).isZero();
      assertThat(two.awaitExit(PATIENCE)).as(two.console()).isZero();
    }
  }

  @Test
  void machine_killedWhileItWorks_givesEverythingBack() throws Exception {
    Daemons.awaitGone(daemon, SECOND);
    try (MachineGuest guest = boot(SECOND, "copytest 8388608")) {
      guest.await("step: a: pattern", PATIENCE);
      guest.kill();
    }
    Daemons.awaitGone(daemon, SECOND);

    assertThat(run(SECOND, "smoke")).isZero();
  }

  @Test
  void process_killedWhileItWorks_freesWhatItHeld() throws Exception {
    String killAndLook =
        "copytest --pause 8388608 </dev/zero & sleep 1; kill -9 $!; sleep 1; smoke";
    assertThat(run(FIRST, killAndLook)).isZero();
  }

  private MachineGuest boot(String guest, String command) throws IOException {
    return MachineGuest.start(
        environment,
        new MachineGuest.Setup(
            image, List.of(daemon.socket(guest)), command, Optional.empty(), List.of()),
        _ -> {});
  }

  private int run(String guest, String command) throws Exception {
    Daemons.awaitGone(daemon, guest);
    try (MachineGuest machine = boot(guest, command)) {
      int status = machine.awaitExit(PATIENCE);
      if (status != 0) {
        System.out.println(machine.console());
      }
      return status;
    }
  }
}
