package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import io.sluice.testbed.machine.support.PrintedInMachine;
import io.sluice.testbed.opencl.AllowedDifferences;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of processes in a real machine that live at another daemon than the machine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("each of its tests boots a machine, beside two daemons")
final class RemoteGuestSessionsTest {
  private static final String GUEST = "guest";
  private static final String HOME = "alpha";
  private static final String FAR = "beta";
  private static final String ADDRESS = "127.0.72.1";
  private static final int PORT = 7443;
  private static final String DEFAULT = "default";
  private static final String OTHER = "vendors"; // the directory's name
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 100;

  /** Programs that read and write memory which they share as they go. */
  private static final List<String> PROGRAMS =
      List.of("host_pointers", "maps", "buffers", "user_events", "images", "threads");

  private OpenClParts parts;
  private Path work;
  private Machines machines;
  private DaemonProcess far;
  private SessionsMXBean sessions;
  private final ExecutorService runners = Executors.newCachedThreadPool();

  @SuppressWarnings("NullAway.Init")
  private DelayedLink way;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    assumeTrue(MachineEnvironment.find().isPresent(), MachineEnvironment.absence());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("authority")));
    certificates.issue(HOME, ADDRESS, Files.createDirectory(directory.resolve(HOME)));
    certificates.issue(FAR, ADDRESS, Files.createDirectory(directory.resolve(FAR)));
    Path script = Files.writeString(directory.resolve("all"), PrintedInMachine.ALL);
    machines =
        Machines.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(GUEST),
            parts,
            List.of("--add", script + ":/bin/all"),
            "process-memory = \"64GiB\"\n" // a device has no more global memory than that
                + "implementations = \""
                + OpenClParts.NATIVE_VENDORS
                + "\"\n"
                + HostCertificates.configuration(directory.resolve(HOME), ""));
    far =
        DaemonProcess.startWithOpenCl(
            Files.createDirectory(directory.resolve("far")),
            List.of(),
            "process-memory = \"64GiB\"\naccept-from = \""
                + HOME
                + "\"\n"
                + HostCertificates.configuration(directory.resolve(FAR), ADDRESS + ":" + PORT));
    sessions = machines.daemon().connection().sessions();
    await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));
    work = Files.createDirectory(directory.resolve("work"));
  }

  @BeforeEach
  void connect() throws Exception {
    way = new DelayedLink(ADDRESS, new InetSocketAddress(ADDRESS, PORT), Duration.ZERO);
  }

  /** Nothing of a test's sessions is left at either host. */
  @AfterEach
  void disconnect() throws Exception {
    if (way != null) {
      awaitNoSession();
      await().atMost(PATIENCE).until(() -> far.connection().sessions().list("").isEmpty());
      await().atMost(PATIENCE).until(() -> far.process().children().findAny().isEmpty());
      way.close();
    }
  }

  @AfterAll
  void stop() throws Exception {
    runners.shutdownNow();
    if (far != null) {
      far.close();
    }
    if (machines != null) {
      machines.close();
    }
  }

  private SessionHostStatus host() {
    return Objects.requireNonNull(sessions.getHosts().get(GUEST));
  }

  private String there() {
    return ADDRESS + ":" + way.port();
  }

  private MachineShell boot() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    return MachineShell.boot(machines, GUEST);
  }

  /** Starts a program that computes until it is ended; the session's number. */
  private long startWork(MachineShell shell) throws Exception {
    return start(shell, "matrix 128 10000000");
  }

  /** Starts a program that looks at each result, until there is a file. */
  private long startFilm(MachineShell shell) throws Exception {
    return start(shell, "frames 1000000 48 /tmp/end");
  }

  private long start(MachineShell shell, String command) throws Exception {
    assertThat(
            shell.run(OpenClParts.IN_MACHINE + command + " > /tmp/work 2>&1 & echo $! > /tmp/pid"))
        .isZero();
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions.list(GUEST).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .map(SessionStatus::number)
                    .findFirst()
                    .orElse(0L),
            number -> number > 0);
  }

  private static void awaitRightFilm(MachineShell shell) throws Exception {
    assertThat(shell.run("touch /tmp/end; wait $(cat /tmp/pid)")).as(shell.console()).isZero();
    assertThat(
            shell.run("n=$(sed -n 's/^frames: //p' /tmp/work); grep -qxF \"right: $n\" /tmp/work"))
        .as(shell.console())
        .isZero();
  }

  /** The program has lost its session; the next one works. */
  private void awaitLost(MachineShell shell) throws Exception {
    assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
    assertThat(shell.run("grep -q CL_DEVICE_NOT_AVAILABLE /tmp/work")).isZero();
    awaitNoSession();
    assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
  }

  private void move(long session, String to) throws OperationsException {
    SessionMove move = sessions.move(GUEST, session, to, false);
    System.out.printf(
        "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
        to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
    assertThat(move.sentBytes()).isPositive();
    assertThat(place(session)).isEqualTo(to);
  }

  private String place(long session) throws OperationsException {
    return sessions.list(GUEST).stream()
        .filter(each -> each.number() == session)
        .map(SessionStatus::host)
        .findFirst()
        .orElse("");
  }

  private void awaitCalls() throws OperationsException {
    long calls = sessions.list(GUEST).getFirst().calls() + AT_WORK;
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).getFirst().calls() > calls);
  }

  private void awaitNoSession() {
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
  }

  /** Moves a session away; the process that has its near end. */
  private ProcessHandle moveAway(long session) throws OperationsException {
    Set<Long> before = children().map(ProcessHandle::pid).collect(Collectors.toSet());
    move(session, there());
    return children().filter(child -> !before.contains(child.pid())).findFirst().orElseThrow();
  }

  private Stream<ProcessHandle> children() {
    return machines.daemon().process().children();
  }

  @Test
  void session_movedToAnotherHostOnAndBack_computesTheSame() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startFilm(shell);
      assertThat(sessions.move(GUEST, session, there(), true).obstacles()).isEmpty();
      assertThat(place(session)).isEqualTo(DEFAULT);
      move(session, there());
      assertThat(far.connection().sessions().list(""))
          .extracting(SessionStatus::guest)
          .containsExactly(HOME + ":" + GUEST);
      awaitCalls();
      move(session, OTHER);
      move(session, there());
      assertThat(sessions.move(GUEST, session, DEFAULT, true).obstacles()).isEmpty();
      assertThat(place(session)).isEqualTo(there());
      move(session, DEFAULT);
      awaitCalls();
      awaitRightFilm(shell);
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  @Tag("long")
  void programs_whoseSessionsComeAndGo_printWhatTheyPrintNatively() throws Exception {
    AllowedDifferences differences = AllowedDifferences.read();
    Map<String, Result> printed;
    int moves = 0;
    try (MachineShell shell = boot()) {
      long keeper = startFilm(shell); // so that the hosts of both sides stay
      move(keeper, there());
      CompletableFuture<Integer> running =
          CompletableFuture.supplyAsync(() -> runAll(shell), runners);
      while (!running.isDone()) {
        moves += moveAll(keeper);
      }
      assertThat(running.get()).as(shell.console()).isZero();
      printed = PrintedInMachine.of(shell.console());
      awaitRightFilm(shell);
    }
    System.out.println("moves: " + moves);
    for (String name : PROGRAMS) {
      Result there = Objects.requireNonNull(printed.get(OpenClParts.IN_MACHINE + name), name);
      Result here = parts.natively(work, List.of(parts.program(name).toString()));
      assertThat(there.code()).as(name + "\n" + there.output()).isEqualTo(here.code());
      assertThat(differences.printed(name, there.output()))
          .as(name)
          .isNotEmpty()
          .containsExactlyElementsOf(
              differences.expected(name, here.output()).stream()
                  .map(String::stripTrailing)
                  .toList());
    }
    assertThat(moves).isGreaterThan(PROGRAMS.size() / 2);
  }

  private static int runAll(MachineShell shell) {
    try {
      return shell.run(
          "sh /bin/all "
              + String.join(
                  " ", PROGRAMS.stream().map(name -> OpenClParts.IN_MACHINE + name).toList()));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Moves all sessions but one to where they are not; how many did. */
  private int moveAll(long but) throws OperationsException {
    int moves = 0;
    for (SessionStatus each : sessions.list(GUEST)) {
      if (each.number() == but) {
        continue;
      }
      String to = each.host().equals(DEFAULT) ? there() : DEFAULT;
      try {
        SessionMove _ = sessions.move(GUEST, each.number(), to, false);
        moves++;
      } catch (OperationsException _) {
        // it has left meanwhile, or is in the list of the host that it has just moved from
      }
    }
    return moves;
  }

  @Test
  void link_cut_programHearsItAndTheNextWorks() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startWork(shell);
      move(session, there());
      awaitCalls();
      way.cut();
      awaitLost(shell);
    }
  }

  @Test
  void nearEnd_killed_programHearsItAndNothingIsLeftThere() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startWork(shell);
      ProcessHandle near = moveAway(session);
      awaitCalls();
      near.destroyForcibly();
      awaitLost(shell);
    }
  }

  @Test
  @Tag("long")
  void operator_endsASessionThatIsAway_programHearsIt() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startWork(shell);
      move(session, there());
      sessions.end(GUEST, session);
      awaitLost(shell);
    }
  }

  @Test
  @Tag("long")
  void firstHost_killedWhileASessionIsAway_programGoesOnAndComesHome() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startWork(shell);
      move(session, there());
      ProcessHandle first = ProcessHandle.of(host().pid()).orElseThrow();
      first.destroyForcibly();
      first.onExit().join();
      await().atMost(PATIENCE).until(() -> host().state().equals(SessionHostStatus.SERVING));
      awaitCalls();
      move(session, DEFAULT);
      awaitCalls();
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      awaitNoSession();
    }
  }

  @Test
  @Tag("long")
  void device_resetWhileASessionIsAway_itsMemoryIsLetGoOf() throws Exception {
    try (MachineShell shell = boot()) {
      long own = Holdings.of(host().pid()).mappings();
      long session = startWork(shell);
      ProcessHandle near = moveAway(session);
      assertThat(shell.run("echo 1 > /sys/class/misc/sluice-api0/device/reset")).isZero();

      assertThat(shell.run("wait $(cat /tmp/pid)")).isNotZero();
      awaitNoSession();
      await().atMost(PATIENCE).until(() -> !near.isAlive());
      await().atMost(PATIENCE).until(() -> Holdings.of(host().pid()).mappings() <= own);
      assertThat(shell.run(OpenClParts.IN_MACHINE + "dot 1000 2")).isZero();
    }
  }

  @Test
  void destination_thatIsNotThere_leavesTheSessionWhereItIs() throws Exception {
    try (MachineShell shell = boot()) {
      long session = startWork(shell);
      assertThatThrownBy(() -> sessions.move(GUEST, session, ADDRESS + ":1", false))
          .hasMessageContaining("SLU-SES-016");
      assertThat(place(session)).isEqualTo(DEFAULT);
      awaitCalls();
      assertThat(shell.run("kill -9 $(cat /tmp/pid)")).isZero();
      awaitNoSession();
    }
  }
}
