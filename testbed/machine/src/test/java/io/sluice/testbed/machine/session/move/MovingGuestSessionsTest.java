package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import io.sluice.testbed.opencl.OpenClParts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of processes in a real machine that move between the session hosts of one daemon. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MovingGuestSessionsTest {
  private static final String GUEST = "guest";
  private static final String OTHER = "vendors"; // the directory's name
  private static final String DEFAULT = "default";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 100;
  private static final int MOVES = 6;

  /** A program that computes until it is ended. */
  private static final String ENDLESS = "matrix 128 10000000";

  /** A program that looks at each of its results, until there is a file. */
  private static final String FILM = "frames 100000000 48 /tmp/end";

  private Machines machines;
  private SessionsMXBean sessions;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    assumeTrue(MachineEnvironment.find().isPresent(), MachineEnvironment.absence());
    OpenClParts parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    machines =
        Machines.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(GUEST),
            parts,
            List.of(),
            "implementations = \"" + OpenClParts.NATIVE_VENDORS + "\"\n");
    sessions = machines.daemon().connection().sessions();
    await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));
  }

  @AfterAll
  void stop() throws Exception {
    if (machines != null) {
      machines.close();
    }
  }

  private SessionHostStatus host() {
    return Objects.requireNonNull(sessions.getHosts().get(GUEST));
  }

  private MachineShell boot() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    return MachineShell.boot(machines, GUEST);
  }

  /** Starts a program in the background. */
  private SessionStatus start(MachineShell shell, String command) throws Exception {
    assertThat(
            shell.run(OpenClParts.IN_MACHINE + command + " > /tmp/work 2>&1 & echo $! > /tmp/pid"))
        .isZero();
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions.list(GUEST).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .findFirst()
                    .orElse(null),
            each -> each != null);
  }

  private String place(long session) throws OperationsException {
    return sessions.list(GUEST).stream()
        .filter(each -> each.number() == session)
        .map(SessionStatus::host)
        .findFirst()
        .orElse("");
  }

  private void awaitCalls(long more) throws OperationsException {
    long calls = sessions.list(GUEST).getFirst().calls() + more;
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).getFirst().calls() > calls);
  }

  private void awaitNoSession() {
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
  }

  /** The process of the host to which sessions move: the one that is not the guest's first. */
  private ProcessHandle sideHost() {
    long first = host().pid();
    return machines
        .daemon()
        .process()
        .children()
        .filter(child -> child.pid() != first)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void session_movedToAndFro_computesTheSame() throws Exception {
    try (MachineShell shell = boot()) {
      SessionStatus session = start(shell, FILM);
      int moves = 0;
      while (moves < MOVES) {
        String to = moves % 2 == 0 ? OTHER : DEFAULT;
        try {
          SessionMove move = sessions.move(GUEST, session.number(), to, false);
          assertThat(move.sentBytes()).isPositive();
          moves++;
          System.out.printf(
              "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
              to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
        } catch (OperationsException refused) {
          // It is still in the list of the host that it has just moved from.
          assertThat(refused).hasMessageContaining("it is there");
        }
      }
      assertThat(shell.run("touch /tmp/end; wait $(cat /tmp/pid)")).as(shell.console()).isZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void check_ofASessionThatCanGo_namesNothingAndItStays() throws Exception {
    try (MachineShell shell = boot()) {
      SessionStatus session = start(shell, ENDLESS);
      assertThat(sessions.move(GUEST, session.number(), OTHER, true).obstacles()).isEmpty();
      assertThat(place(session.number())).isEqualTo(DEFAULT);
      assertThatThrownBy(() -> sessions.move(GUEST, session.number(), DEFAULT, false))
          .hasMessageContaining("SLU-SES-016");
      awaitCalls(AT_WORK);
      sessions.end(GUEST, session.number());
      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      awaitNoSession();
    }
  }

  @Test
  void operator_endsASessionThatMoved_itsProgramHearsIt() throws Exception {
    try (MachineShell shell = boot()) {
      SessionStatus session = start(shell, ENDLESS);
      assertThat(sessions.move(GUEST, session.number(), OTHER, false).sentBytes()).isPositive();
      sessions.end(GUEST, session.number());

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      assertThat(shell.run("grep -q CL_DEVICE_NOT_AVAILABLE /tmp/work")).isZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void sideHost_killedAfterAMove_programHearsItAndTheMachineGoesOn() throws Exception {
    try (MachineShell shell = boot()) {
      SessionStatus session = start(shell, ENDLESS);
      assertThat(sessions.move(GUEST, session.number(), OTHER, false).sentBytes()).isPositive();
      awaitCalls(AT_WORK);
      sideHost().destroyForcibly();

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      assertThat(shell.run("grep -q CL_DEVICE_NOT_AVAILABLE /tmp/work")).isZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void firstHost_killedAfterAMove_programGoesOn() throws Exception {
    try (MachineShell shell = boot()) {
      SessionStatus session = start(shell, ENDLESS);
      assertThat(sessions.move(GUEST, session.number(), OTHER, false).sentBytes()).isPositive();
      ProcessHandle first = ProcessHandle.of(host().pid()).orElseThrow();
      first.destroyForcibly();
      first.onExit().join();
      await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));

      assertThat(place(session.number())).isEqualTo(OTHER);
      awaitCalls(AT_WORK);
      assertThat(sessions.move(GUEST, session.number(), DEFAULT, false).sentBytes()).isPositive();
      awaitCalls(AT_WORK);
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      awaitNoSession();
    }
  }

  @Test
  void device_resetAfterAMove_itsMemoryIsLetGoOf() throws Exception {
    try (MachineShell shell = boot()) {
      long own = Holdings.of(host().pid()).mappings(); // each host has a page of its turns
      SessionStatus session = start(shell, ENDLESS);
      assertThat(sessions.move(GUEST, session.number(), OTHER, false).sentBytes()).isPositive();
      ProcessHandle side = sideHost();
      assertThat(Holdings.of(side.pid()).mappings()).isGreaterThan(own);
      assertThat(shell.run("echo 1 > /sys/class/misc/sluice-api0/device/reset")).isZero();

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      awaitNoSession();
      await().atMost(PATIENCE).until(() -> Holdings.of(side.pid()).mappings() <= own);
      await().atMost(PATIENCE).until(() -> Holdings.of(host().pid()).mappings() <= own);
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }
}
