package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.Recorder;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a machine does when its host fails it: errors in bounded time or a service that goes on, and
 * a kernel that is not hurt.
 */
final class HostFailureTest {
  private static final String GUEST = "guest";
  private static final String RESET = "echo 1 > /sys/bus/pci/devices/0000:01:00.0/reset";

  /** A program that holds channels and buffers until it is killed. */
  private static final String HOLDER =
      "{ sleep 1000 | copytest --pause 8388608 > /tmp/holder & } ;"
          + " until grep -q ready /tmp/holder; do usleep 100000; done";

  @TempDir private Path directory;
  private Machines machines;

  @BeforeEach
  void start() throws Exception {
    machines = Machines.start(directory, List.of(GUEST));
  }

  @AfterEach
  void stop() throws Exception {
    if (machines != null) {
      machines.close();
    }
  }

  /**
   * The machine is left alone until QEMU has noticed: QEMU 11.1.2 ends with a failed assertion when
   * its server goes while a request to it is under way.
   */
  @Test
  void daemonKilled_underAProgram_givesErrorsAndAnOrderlyUnload() throws Exception {
    try (MachineShell shell = MachineShell.boot(machines, GUEST)) {
      shell.run(HOLDER);
      machines.daemon().kill();
      assertThat(shell.has("qemu-system-x86_64: failed to read header", Machines.PATIENCE))
          .isTrue();

      assertThat(shell.run("smoke")).as(shell.console()).isNotZero();
      assertThat(shell.run("fuzz 2")).as(shell.console()).isNotZero();
      assertThat(shell.run(RESET + "; smoke")).as(shell.console()).isNotZero();
      assertThat(shell.run("killall sleep copytest; wait; rmmod sluice"))
          .as(shell.console())
          .isZero();
    }
  }

  @Test
  void daemonStopped_forAMoment_isNotNoticedByPrograms() throws Exception {
    try (MachineShell shell =
        MachineShell.boot(machines, GUEST, "--cpus", "2", "--msg-timeout", "60000")) {
      shell.start("many 6 8");
      for (int i = 0; i < 3; i++) {
        TimeUnit.MILLISECONDS.sleep(300);
        signal("STOP");
        TimeUnit.SECONDS.sleep(i == 1 ? 8 : 1);
        signal("CONT");
      }

      assertThat(shell.end()).as(shell.console()).isZero();
      assertThat(shell.run("smoke")).as(shell.console()).isZero();
    }
  }

  @Test
  @TakesLong("each call runs into its time-out")
  void daemonStopped_forGood_givesErrors() throws Exception {
    try (MachineShell shell =
        MachineShell.boot(machines, GUEST, "--cpus", "2", "--msg-timeout", "2000")) {
      signal("STOP");
      try {
        assertThat(shell.run("smoke")).as(shell.console()).isNotZero();
        assertThat(shell.run("rmmod sluice")).as(shell.console()).isZero();
      } finally {
        signal("CONT");
      }
    }
  }

  @Test
  void doorbell_lostOnce_isRungAgain() throws Exception {
    AtomicInteger toLose = new AtomicInteger();
    try (Recorder relay = losing(toLose);
        MachineShell shell = MachineShell.boot(machines, socket())) {
      for (int i = 0; i < 3; i++) {
        toLose.set(1);
        assertThat(shell.run("smoke")).as(shell.console()).isZero();
        assertThat(toLose.get()).isZero();
      }
      assertThat(relay.messages()).isPositive();
    }
  }

  @Test
  void calls_neverAnswered_failAndTheDeviceComesBackWithAReset() throws Exception {
    AtomicInteger toLose = new AtomicInteger();
    try (Recorder relay = losing(toLose);
        MachineShell shell = MachineShell.boot(machines, socket(), "--cpus", "2")) {
      shell.run(HOLDER);
      toLose.set(Integer.MAX_VALUE);
      assertThat(shell.run("smoke")).as(shell.console()).isNotZero();
      assertThat(shell.run("smoke")).as(shell.console()).isNotZero();
      toLose.set(0);
      assertThat(shell.run("smoke")).as(shell.console()).isNotZero();

      assertThat(shell.run(RESET + " && smoke")).as(shell.console()).isZero();
      assertThat(shell.run("killall sleep copytest; wait; many 8 1 && rmmod sluice"))
          .as(shell.console())
          .isZero();
      assertThat(relay.messages()).isPositive();
    }
    Daemons.awaitGone(machines.daemon(), GUEST);
  }

  private Path socket() {
    return directory.resolve("relay.sock");
  }

  /** A relay that loses as many doorbells of calls as the counter says. */
  private Recorder losing(AtomicInteger count) {
    return new Recorder(
        RealKernel.create(),
        socket(),
        machines.daemon().socket(GUEST),
        (region, offset) ->
            region == GuestAbi.BAR_REGISTERS
                && offset == GuestAbi.REG_CALL
                && count.getAndUpdate(left -> Math.max(0, left - 1)) > 0);
  }

  private void signal(String name) throws IOException, InterruptedException {
    long pid = machines.daemon().pid();
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .isZero();
  }
}
