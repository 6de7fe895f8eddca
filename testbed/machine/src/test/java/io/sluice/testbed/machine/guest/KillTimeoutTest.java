package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.RealKernel;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.machine.support.BusyGuest;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program in a real machine keeps the GPU from others. The program, {@code offend}, checks what
 * the machine is told, and that nothing happens to it while it is alone.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KillTimeoutTest {
  private static final String OFFENDER = "offender";
  private static final String OTHER = "other";
  private static final long LIMIT_MS = 300;

  /** Multiplies matrices, and compares the results, until it is told to end. */
  private static final String WORK =
      "touch /tmp/go; ( while [ -e /tmp/go ]; do"
          + " mmul --size 128 --runs 5 > /tmp/said || touch /tmp/wrong; done ) &";

  private static final String END_WORK = "rm /tmp/go; wait; [ ! -e /tmp/wrong ]";

  private Machines machines;
  private MachineShell shell;
  private long killsBefore;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(OFFENDER, OTHER));
    machines.daemon().connection().daemon().setQuota(OFFENDER, null, null, null, null, LIMIT_MS);
    shell = MachineShell.boot(machines, OFFENDER);
    // The kernel's lines shall not come between others on the console.
    assertThat(shell.run("dmesg -n 1")).isZero();
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

  @AfterEach
  void noOtherIsKilled() {
    assertThat(quota(OTHER).kills()).isZero();
    Daemons.awaitGone(machines.daemon(), OTHER);
  }

  private QuotaStatus quota(String guest) {
    return Objects.requireNonNull(
        machines.daemon().connection().daemon().getQuotas().get(guest), guest);
  }

  /** Starts what is to be killed, and returns when it has found out that it is not, alone. */
  private void offend(String arguments) throws Exception {
    killsBefore = quota(OFFENDER).kills();
    shell.start("offend " + arguments + " " + LIMIT_MS);
    assertThat(shell.await("offend: ")).as(shell.console()).isEqualTo("alone ok");
    assertThat(quota(OFFENDER).kills()).isEqualTo(killsBefore);
  }

  /** What it was told is right, the machine's log says the same, and the machine is unhurt. */
  private void awaitKilled(int channels) throws Exception {
    List<String> killed = new ArrayList<>();
    for (int i = 0; i < channels; i++) {
      String line = shell.await("offend: ");
      assertThat(line).as(shell.console()).startsWith("killed ");
      String[] words = line.split(" ");
      killed.add(
          "channel %s killed: its command at %s lasted %s ms while others waited"
              .formatted(words[1], words[3], words[2]));
    }
    assertThat(shell.end()).as(shell.console()).isZero();
    for (String line : killed) {
      assertThat(shell.run("dmesg | grep -q '" + line + "'")).as(shell.console()).isZero();
    }
    assertThat(quota(OFFENDER).kills()).isEqualTo(killsBefore + channels);
    assertThat(shell.run("smoke")).as(shell.console()).isZero();
  }

  @Test
  void endlessGrid_whileAProcessWorks_isKilledAndNothingElse() throws Exception {
    try (BusyGuest other = new BusyGuest(RealKernel.create(), machines.daemon().socket(OTHER))) {
      offend("grid");
      other.work();
      awaitKilled(1);
      assertThat(other.finish()).isEmpty();
    }
  }

  @Test
  void endlessAcquire_whileAnotherMachineWorks_isKilledAndNothingElse() throws Exception {
    try (MachineShell other = MachineShell.boot(machines, OTHER)) {
      assertThat(other.run("mmul --size 64")).isZero();
      offend("acquire");
      assertThat(other.run(WORK)).isZero();
      awaitKilled(1);
      assertThat(other.run(END_WORK + " && lud --size 128")).as(other.console()).isZero();
    }
  }

  @Test
  void manyEndlessAcquires_areKilledOneAfterAnotherAndCounted() throws Exception {
    int channels = 6;
    try (BusyGuest other = new BusyGuest(RealKernel.create(), machines.daemon().socket(OTHER))) {
      offend("--channels " + channels + " acquire");
      other.work();
      awaitKilled(channels);
      assertThat(other.finish()).isEmpty();
    }
  }
}
