package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestMXBean;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a machine that goes on running gives back: whatever happens to programs, driver or device in
 * it, the daemon holds afterwards what it held before. One machine for all tests, in any order.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GuestLeakTest {
  private static final String GUEST = "guest";

  /** A program that holds two channels, buffers of both kinds and mappings, until it is killed. */
  private static final String HOLDER =
      "rm -f /tmp/holder; { sleep 1000 | copytest --pause 8388608 > /tmp/holder & } ;"
          + " until grep -q ready /tmp/holder; do usleep 100000; done";

  private static final String END_HOLDER = "killall sleep copytest; wait";

  /** All of a suspend to RAM but the last step, which this machine's firmware does not survive. */
  private static final String SLEEP =
      "echo 1 > /sys/module/suspend/parameters/pm_test_delay; echo core > /sys/power/pm_test;"
          + " echo mem > /sys/power/state; s=$?; echo none > /sys/power/pm_test; (exit $s)";

  private static final String DEVICE = "/sys/bus/pci/devices/0000:01:00.0";
  private static final String DRIVER = "/sys/bus/pci/drivers/sluice";
  private static final String UNBIND = "echo 0000:01:00.0 > " + DRIVER + "/unbind";
  private static final String BIND = "echo 0000:01:00.0 > " + DRIVER + "/bind";

  private Machines machines;
  private MachineShell shell;
  private Holdings before;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(GUEST));
    shell = MachineShell.boot(machines, GUEST, "--cpus", "2", "--reboot");
    assertThat(shell.run("smoke")).isZero();
    before = Holdings.of(machines.daemon().pid());
  }

  @AfterAll
  void stop() throws Exception {
    if (shell != null) {
      shell.close();
    }
    if (machines != null) {
      machines.close();
    }
  }

  @BeforeEach
  void look() {
    awaitNothingHeld();
  }

  @AfterEach
  void lookAgain() throws Exception {
    awaitNothingHeld();
    Daemons.awaitHoldings(machines.daemon(), before);
  }

  @Test
  void programs_killedWhileTheyWork_leaveNothing() throws Exception {
    assertThat(shell.run("many 12 2")).as(shell.console()).isZero();
  }

  @Test
  void module_unloadedAndLoadedTenTimes_leavesNothing() throws Exception {
    String reload = "rmmod sluice && insmod /lib/modules/sluice.ko && smoke || break";
    assertThat(shell.run("for i in 0 1 2 3 4 5 6 7 8 9; do " + reload + "; done; smoke"))
        .as(shell.console())
        .isZero();
  }

  @Test
  void driver_unboundUnderAProgram_leavesNothing() throws Exception {
    assertThat(shell.run(HOLDER + "; " + UNBIND)).as(shell.console()).isZero();
    awaitNothingHeld();
    assertThat(shell.run(END_HOLDER + "; " + BIND + "; smoke")).as(shell.console()).isZero();
  }

  @Test
  void driver_unboundUnderCallsOfAllKinds_leavesNothing() throws Exception {
    assertThat(shell.run("fuzz 3 & sleep 1; " + UNBIND + "; wait; " + BIND + "; smoke"))
        .as(shell.console())
        .isZero();
  }

  @Test
  void device_resetUnderAProgram_voidsWhatItHeld() throws Exception {
    assertThat(shell.run(HOLDER + "; echo 1 > " + DEVICE + "/reset && smoke"))
        .as(shell.console())
        .isZero();
    awaitNothingHeld();
    assertThat(shell.run(END_HOLDER)).as(shell.console()).isZero();
  }

  @Test
  void device_resetManyTimesUnderCallsOfAllKinds_leavesNothing() throws Exception {
    String resets =
        "for i in 0 1 2 3 4 5 6 7 8 9; do echo 1 > " + DEVICE + "/reset; usleep 150000; done";
    assertThat(shell.run("fuzz 5 & " + resets + "; wait; smoke")).as(shell.console()).isZero();
  }

  @Test
  void sleep_whileAProgramHoldsSomething_isRefused() throws Exception {
    shell.run(HOLDER);
    for (String state : List.of("freeze", "mem")) {
      assertThat(shell.run("echo " + state + " > /sys/power/state")).as(shell.console()).isOne();
    }
    assertThat(shell.run("smoke; " + END_HOLDER + "; smoke")).as(shell.console()).isZero();
  }

  @Test
  void sleep_whileAProgramHoldsOneThingAlone_isRefused() throws Exception {
    for (String what : List.of("buffer", "channel")) {
      shell.run(
          "rm -f /tmp/keep; { keep %s > /tmp/keep & } ;".formatted(what)
              + " until grep -q ready /tmp/keep; do usleep 100000; done");
      assertThat(shell.run(SLEEP)).as(shell.console()).isOne();
      assertThat(shell.run("killall keep; wait; smoke")).as(shell.console()).isZero();
    }
  }

  @Test
  void sleep_whileNothingIsHeld_isSurvived() throws Exception {
    assertThat(shell.run(SLEEP + " && smoke")).as(shell.console()).isZero();
  }

  /** A real one, from which a line on the console wakes. */
  @Test
  void sleep_toIdle_isSurvived() throws Exception {
    shell.start(
        "echo enabled > /sys/class/tty/ttyS0/power/wakeup; echo freeze > /sys/power/state && smoke");
    Awaitility.await()
        .atMost(Machines.PATIENCE)
        .pollInSameThread()
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          shell.start("true");
          return shell.has("smoke: ok", Duration.ofMillis(100));
        });
    assertThat(shell.run("echo awake")).as(shell.console()).isZero();
  }

  @Test
  void machine_rebootedUnderAProgram_leavesNothing() throws Exception {
    shell.run(HOLDER);
    shell.start("reboot -f");
    shell.awaitReboot();
    awaitNothingHeld();
    assertThat(shell.run("smoke")).as(shell.console()).isZero();
  }

  /** As after a panic: the kernel does not say goodbye to the device. */
  @Test
  void machine_resetUnderAProgram_leavesNothing() throws Exception {
    shell.run(HOLDER);
    shell.start("echo b > /proc/sysrq-trigger");
    shell.awaitReboot();
    awaitNothingHeld();
    assertThat(shell.run("smoke")).as(shell.console()).isZero();
  }

  private void awaitNothingHeld() {
    GuestMXBean bean = machines.daemon().connection().guest(GUEST);
    Awaitility.await()
        .atMost(Machines.PATIENCE)
        .until(() -> bean.getMemoryUsedBytes() == 0 && bean.getChannels().isEmpty());
  }
}
