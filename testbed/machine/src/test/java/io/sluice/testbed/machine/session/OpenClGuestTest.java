package io.sluice.testbed.machine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationBlocker;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import io.sluice.testbed.machine.support.PrintedInMachine;
import io.sluice.testbed.opencl.AllowedDifferences;
import io.sluice.testbed.opencl.ClinfoLines;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import io.sluice.testbed.opencl.RealProgram;
import io.sluice.testbed.opencl.RealPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * OpenCL of processes in real machines, with the loader and the clinfo of this host's distribution
 * and our driver and module: what they compute, and what is left when something of it dies.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Seeds.class)
final class OpenClGuestTest {
  private static final String GUEST = "guest";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration ALL_PROGRAMS = Machines.PATIENCE.multipliedBy(5);
  private static final String NOISE_SECONDS = "3";

  /** Calls by which a program is in the middle of its work. */
  private static final long AT_WORK = 50;

  /** A program that works until it is ended: in the background, its output and number in /tmp. */
  private static final String WORKS =
      OpenClParts.IN_MACHINE + "matrix 128 10000000 > /tmp/work 2>&1 & echo $! > /tmp/pid";

  private final List<RealProgram> real = new ArrayList<>();
  private final List<RealProgram> large = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();
  private OpenClParts parts;
  private Machines machines;
  private SessionsMXBean sessions;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    assumeTrue(MachineEnvironment.find().isPresent(), MachineEnvironment.absence());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    machines =
        Machines.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(GUEST),
            imageArguments(directory),
            "process-memory = \"64GiB\"\n"); // a device has no more global memory than that
    sessions = machines.daemon().connection().sessions();
    await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));
  }

  /** What the machine has: our programs, and those of Debian that are installed here. */
  private List<String> imageArguments(Path directory) throws Exception {
    Path clients = Files.createDirectory(directory.resolve("clients"));
    addReady(RealPrograms.forMachines(clients), clients, real);
    addReady(RealPrograms.largeForMachines(clients), clients, large);
    List<String> arguments =
        new ArrayList<>(
            parts.imageArguments(
                OpenClParts.programs(),
                Stream.concat(real.stream(), large.stream()).map(RealProgram::file).toList()));
    Map<String, String> scripts =
        Map.of(
            "all",
            PrintedInMachine.ALL,
            "real",
            PrintedInMachine.script(real),
            "large",
            PrintedInMachine.script(large));
    for (Map.Entry<String, String> script : scripts.entrySet()) {
      Path file = Files.writeString(directory.resolve(script.getKey()), script.getValue());
      arguments.addAll(List.of("--add", file + ":/bin/" + script.getKey()));
    }
    return arguments;
  }

  private void addReady(List<RealProgram> programs, Path clients, List<RealProgram> ready)
      throws Exception {
    for (RealProgram program : programs) {
      if (program.isReady(clients)) {
        ready.add(program);
      } else {
        missing.add(program.packages());
      }
    }
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

  private void awaitNoSession() {
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
  }

  /** Waits until so many programs are in the middle of their work. */
  private List<SessionStatus> awaitAtWork(int programs) throws Exception {
    await()
        .atMost(PATIENCE)
        .until(() ->
            sessions.list(GUEST).stream().filter(session -> session.calls() > AT_WORK).count()
                == programs);
    return sessions.list(GUEST);
  }

  private MachineShell boot() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    return MachineShell.boot(machines, GUEST);
  }

  @Test
  @TakesLong("it runs some forty programs, in a machine and here")
  void programs_inTheMachine_printWhatTheyPrintNatively(@TempDir Path work) throws Exception {
    AllowedDifferences differences = AllowedDifferences.read();
    List<String> names = OpenClParts.programs();
    String command =
        "sh /bin/all /bin/clinfo "
            + String.join(" ", names.stream().map(name -> OpenClParts.IN_MACHINE + name).toList());
    Daemons.awaitGone(machines.daemon(), GUEST);
    Map<String, Result> printed;
    try (MachineGuest machine = machines.boot(GUEST, command, "--cpus", "2")) {
      assertThat(machine.awaitExit(ALL_PROGRAMS)).as(machine.console()).isZero();
      printed = PrintedInMachine.of(machine.console());
    }

    Result clinfo = parts.natively(work, List.of("/usr/bin/clinfo"));
    assertThat(ClinfoLines.of(there(printed, "/bin/clinfo").output()))
        .isNotEmpty()
        .isEqualTo(stripped(ClinfoLines.of(clinfo.output())));
    for (String name : names) {
      Result there = there(printed, OpenClParts.IN_MACHINE + name);
      Result here = parts.natively(work, List.of(parts.program(name).toString()));
      assertThat(there.code()).as(name + "\n" + there.output()).isEqualTo(here.code());
      assertThat(differences.printed(name, there.output()))
          .as(name)
          .isNotEmpty()
          .containsExactlyElementsOf(stripped(differences.expected(name, here.output())));
    }
    awaitNoSession();
  }

  @Test
  @TakesLong("it runs programs of Debian, in a machine and here")
  void realPrograms_inTheMachine_comeToTheirNativeResults(@TempDir Path work) throws Exception {
    compare(real, "real", work);
  }

  @Test
  @Tag("long")
  @TakesLong("it runs programs of Debian, in a machine and here")
  void largeRealPrograms_inTheMachine_comeToTheirNativeResults(@TempDir Path work)
      throws Exception {
    compare(large, "large", work);
  }

  private void compare(List<RealProgram> programs, String script, Path work) throws Exception {
    assumeFalse(programs.isEmpty(), missing + " are not installed");
    Daemons.awaitGone(machines.daemon(), GUEST);
    Map<String, Result> printed;
    String console;
    try (MachineGuest machine = machines.boot(GUEST, "sh /bin/" + script, "--cpus", "2")) {
      assertThat(machine.awaitExit(ALL_PROGRAMS)).as(machine.console()).isZero();
      console = machine.console();
      printed = PrintedInMachine.of(console);
    }

    for (RealProgram program : programs) {
      Result there = there(printed, program.name());
      Result here = parts.natively(work, program.command());
      assertThat(here.code()).as(program + "\n" + here.errors()).isZero();
      assertThat(there.code()).as(program + "\n" + console).isZero();
      assertThat(program.results(work, there))
          .as(program.name())
          .isNotEmpty()
          .containsExactlyElementsOf(stripped(program.results(work, here)));
    }
    awaitNoSession();
    assumeTrue(missing.isEmpty(), "the others were compared; not installed: " + missing);
  }

  /** As a console has lines. */
  private static List<String> stripped(List<String> lines) {
    return lines.stream().map(String::stripTrailing).toList();
  }

  private static Result there(Map<String, Result> printed, String program) {
    return Objects.requireNonNull(printed.get(program), program);
  }

  @Test
  void processes_twoAtOnceAndOneKilledInACall_leaveNothing() throws Exception {
    try (MachineShell shell = boot()) {
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2 > /tmp/dot")).isZero();
      awaitNoSession();
      Holdings daemon = Holdings.of(machines.daemon().pid());
      Holdings host = Holdings.of(host().pid());

      assertThat(shell.run(WORKS)).isZero();
      assertThat(shell.run(WORKS.replace("/tmp/", "/tmp/other-"))).isZero();
      assertThat(awaitAtWork(2)).extracting(SessionStatus::command).containsOnly("in the machine");
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      await().atMost(PATIENCE).until(() -> sessions.list(GUEST).size() == 1);
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2 | grep '^verified: right'"))
          .isZero();
      assertThat(shell.run("kill -9 $(cat /tmp/other-pid)")).isZero();

      awaitNoSession();
      Daemons.awaitHoldings(machines.daemon(), daemon);
      await().atMost(PATIENCE).until(() -> Holdings.of(host().pid()).mappings() <= host.mappings());
    }
  }

  @Test
  void operator_endsASession_itsProgramHearsItAndTheMachineGoesOn() throws Exception {
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      sessions.end(GUEST, awaitAtWork(1).getFirst().number());

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      assertThat(shell.run("grep -q CL_DEVICE_NOT_AVAILABLE /tmp/work")).isZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void sessionHost_killed_programHearsItAndAnotherServes() throws Exception {
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);
      long first = host().pid();
      ProcessHandle.of(first).orElseThrow().destroyForcibly();

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      assertThat(shell.run("grep -q CL_DEVICE_NOT_AVAILABLE /tmp/work")).isZero();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
      assertThat(host().pid()).isNotEqualTo(first);
    }
  }

  @Test
  @Tag("long")
  void sessionHost_stopped_isEndedAndAnotherServes() throws Exception {
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);
      long first = host().pid();
      assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(first)).start().waitFor())
          .isZero();

      // The device's call waits for the host, which is ended for that, and so does the program.
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      assertThat(host().pid()).isNotEqualTo(first);
    }
  }

  @Test
  void limit_ofOneSession_refusesTheSecond() throws Exception {
    try (MachineShell shell = boot()) {
      sessions.limit(GUEST, 1, null);
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isNotZero();
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    } finally {
      sessions.limit(GUEST, 64, null);
    }
  }

  @Test
  void device_isReset_sessionsEndAndTheNextWorks() throws Exception {
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);
      assertThat(shell.run("echo 1 > /sys/class/misc/sluice-api0/device/reset")).isZero();

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      awaitNoSession();
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void migration_withSessions_isRefusedBeforeAnythingIsTouched() throws Exception {
    var migrations = machines.daemon().connection().migrations();
    String nowhere = "unix:" + machines.daemon().socket("nowhere");
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);

      assertThat(migrations.check(GUEST, nowhere, Map.of()).blockers())
          .extracting(MigrationBlocker::code)
          .contains("SLU-VFU-028");
      assertThatThrownBy(() -> migrations.start(GUEST, nowhere, Map.of()))
          .isInstanceOf(Exception.class);

      long calls = sessions.list(GUEST).getFirst().calls();
      await().atMost(PATIENCE).until(() -> sessions.list(GUEST).getFirst().calls() > calls);
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      awaitNoSession();
      assertThat(migrations.check(GUEST, nowhere, Map.of()).blockers())
          .extracting(MigrationBlocker::code)
          .doesNotContain("SLU-VFU-028");
    }
  }

  @Test
  void machine_killedWithSessions_leavesNothing() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    awaitNoSession();
    Holdings daemon = Holdings.of(machines.daemon().pid());
    long pid = host().pid();
    Holdings host = Holdings.of(pid);
    try (MachineShell shell = boot()) {
      assertThat(shell.run(WORKS)).isZero();
      awaitAtWork(1);
      ProcessHandle.of(shell.pid()).orElseThrow().destroyForcibly();
      awaitNoSession();
    }
    Daemons.awaitGone(machines.daemon(), GUEST);
    Daemons.awaitHoldings(machines.daemon(), daemon);
    if (host().pid() == pid) {
      await().atMost(PATIENCE).until(() -> Holdings.of(pid).mappings() <= host.mappings());
    }
  }

  @Test
  void impostor_unprivileged_harmsItselfAlone(RandomGenerator random) throws Exception {
    long pid = host().pid();
    String lies = "impostor " + NOISE_SECONDS + " " + random.nextInt(1 << 30);
    String next = OpenClParts.IN_MACHINE + "dot 1000 2";
    // So much memory that it is not what a user's share of it ends first.
    assertThat(machines.run(GUEST, lies + " && " + next, "--cpus", "2", "--memory", "2G")).isZero();
    awaitNoSession();
    assertThat(host().pid()).isEqualTo(pid);
  }
}
