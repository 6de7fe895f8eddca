package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.TestHost;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.move.PhaseStop;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.opencl.OpenClParts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ground of tests in which a machine with a session moves: two hosts whose guest has OpenCL,
 * one whose guest has none, and a program in the machine.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
abstract class MovingMachineSessions {
  static final Duration PATIENCE = Duration.ofMinutes(10);
  static final String GUEST = MachineHost.GUEST;
  static final long AT_WORK = 100;

  /** Computes with OpenCL again and again, and looks at each result. */
  static final String RUN =
      again(
          OpenClParts.IN_MACHINE
              + "matrix 128 1500 > /tmp/out 2>&1 && grep -q '^verified: right' /tmp/out",
          "");

  /** A program that looks at each result until a line is typed, again and again. */
  static final String FILM =
      "while :; do rm -f /tmp/end; "
          + OpenClParts.IN_MACHINE
          + "frames 100000000 48 /tmp/end & p=$!; read x; touch /tmp/end; wait $p;"
          + " echo once-status $?; done";

  static final List<String> ARGUMENTS =
      List.of("--memory", "512M", "--msg-timeout", "60000", "--append", "no_timer_check");

  OpenClParts parts;
  MachineHost source;
  MachineHost target;
  MachineHost plain; // without OpenCL

  /**
   * Runs a program again and again until a line is typed; says then whether all runs were right.
   *
   * @param once runs it, with its output in {@code /tmp/out}; true if that was right
   * @param last says more at the end
   */
  static String again(String once, String last) {
    return "while :; do rm -f /tmp/end /tmp/lost /tmp/first; echo once: begins;"
        + " (while [ ! -e /tmp/end ]; do "
        + once
        + " || { cat /tmp/out; echo lost > /tmp/lost; touch /tmp/end; }; done) & p=$!; read x;"
        + " touch /tmp/end; wait $p; "
        + last
        + "[ ! -e /tmp/lost ]; echo once-status $?; done";
  }

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    assumeTrue(TestHost.whyNot().isEmpty(), TestHost.whyNot());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    Path image = environment.get().image(parts.imageArguments(OpenClParts.programs()));
    Path own = Files.createDirectory(directory.resolve("host"));
    HostCertificates certificates =
        new HostCertificates(Files.createDirectory(directory.resolve("certificates")));
    int number = TestHost.freeNumbers(3);
    source =
        MachineHost.create(environment.get(), image, certificates, own, number, true, number + 1);
    target =
        MachineHost.create(environment.get(), image, certificates, own, number + 1, true, number);
    plain = MachineHost.create(environment.get(), image, certificates, own, number + 2);
  }

  @AfterEach
  void drop() throws Exception {
    if (source != null) {
      source.dropMachine();
      target.dropMachine();
      plain.dropMachine();
    }
  }

  @AfterAll
  void stop() throws Exception {
    if (source != null) {
      source.close();
      target.close();
      plain.close();
    }
  }

  static SessionsMXBean sessions(MachineHost side) {
    return side.daemon().connection().sessions();
  }

  static SessionHostStatus host(MachineHost side) {
    return Objects.requireNonNull(sessions(side).getHosts().get(GUEST));
  }

  /** A program works at the source, and a machine waits at the target. */
  void prepare() throws Exception {
    prepare(RUN);
  }

  void prepare(String run) throws Exception {
    for (MachineHost side : List.of(source, target)) {
      side.ensure();
      Daemons.awaitGone(side.daemon(), GUEST);
      await().atMost(PATIENCE).until(() -> host(side).state().equals(SessionHostStatus.SERVING));
    }
    source.boot(run, ARGUMENTS, List.of());
    awaitAtWork(source);
    target.bootIncoming(run, ARGUMENTS);
  }

  static SessionStatus awaitAtWork(MachineHost side) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions(side).list(GUEST).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .findFirst()
                    .orElse(null),
            each -> each != null);
  }

  MigrationStatusView move() throws Exception {
    source.migrations().start(GUEST, target.address(), Map.of());
    return awaitOver();
  }

  MigrationStatusView awaitOver() {
    await().atMost(PATIENCE).until(() -> source.view().over());
    return source.view();
  }

  /** Begins to move the machine, and holds a side when it has just entered a phase. */
  void holdIn(Moment moment) throws Exception {
    holdIn(moment, Map.of());
  }

  void holdIn(Moment moment, Map<String, String> options) throws Exception {
    PhaseStop stop = (moment.atSource() ? source : target).stop();
    stop.arm(moment.phase());
    source.migrations().start(GUEST, target.address(), options);
    assertThat(stop.await(PATIENCE)).as(source.view().toString()).isTrue();
  }

  /** Lets whoever is held go on. */
  void release() {
    for (MachineHost side : List.of(source, target)) {
      if (side.isAlive()) {
        side.stop().release();
      }
    }
  }

  /** The process in which sessions of a side live. */
  static ProcessHandle hostProcess(MachineHost side) {
    return ProcessHandle.of(host(side).pid()).orElseThrow();
  }

  static void killHost(MachineHost side) {
    ProcessHandle process = hostProcess(side);
    process.destroyForcibly();
    process.onExit().join();
  }

  /** The program has lost its session; the next one works there. */
  void checkLost(MachineHost side) throws Exception {
    assertThat(isRight(side)).as(side.machine().console()).isFalse();
    checkNext(side);
  }

  /** The program says whether all it computed was right, and is begun again. */
  static boolean isRight(MachineHost side) throws Exception {
    side.machine().type("");
    return side.machine().await("once-status ", PATIENCE).equals("0");
  }

  /** A program lost its session, heard it, and the next one works there. */
  void checkNext(MachineHost side) throws Exception {
    assertThat(source.machine().console() + side.machine().console())
        .contains("CL_DEVICE_NOT_AVAILABLE");
    SessionStatus _ = awaitAtWork(side);
    checkWork(side);
  }

  /** The program that was there all the time says whether all it computed was right. */
  static void checkWork(MachineHost side) throws Exception {
    assertThat(isRight(side)).as(side.machine().console()).isTrue();
  }

  static void awaitCalls(MachineHost side) throws Exception {
    long calls = sessions(side).list(GUEST).getFirst().calls() + AT_WORK;
    await().atMost(PATIENCE).until(() -> sessions(side).list(GUEST).getFirst().calls() > calls);
  }

  static void awaitNoVisitors(MachineHost side) {
    await()
        .atMost(PATIENCE)
        .until(() -> sessions(side).list("").stream().allMatch(each -> each.guest().equals(GUEST)));
  }

  void swap() {
    MachineHost left = source;
    source = target;
    target = left;
  }
}
