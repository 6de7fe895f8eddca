package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A machine in which an OpenCL program runs, and that moves to another daemon with the program's
 * session.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@TakesLong("each boots machines and moves them")
final class MachineSessionsMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String GUEST = MachineHost.GUEST;
  private static final long AT_WORK = 100;

  /**
   * A program that computes with OpenCL again and again until a line is typed; each time it says
   * whether that was right.
   */
  private static final String RUN =
      "while :; do rm -f /tmp/end /tmp/lost; echo once: begins; (while [ ! -e /tmp/end ]; do "
          + OpenClParts.IN_MACHINE
          + "matrix 128 1500 > /tmp/out 2>&1 && grep -q '^verified: right' /tmp/out"
          + " || { cat /tmp/out; echo lost > /tmp/lost; touch /tmp/end; }; done) & p=$!; read x;"
          + " touch /tmp/end; wait $p; [ ! -e /tmp/lost ]; echo once-status $?; done";

  /** Two programs that compute until a line is typed. */
  private static final String TWO =
      OpenClParts.IN_MACHINE
          + "matrix 128 10000000 & a=$!; "
          + OpenClParts.IN_MACHINE
          + "matrix 64 10000000 & b=$!; read x; kill $a $b; wait; echo both-status ended";

  /** A program that looks at each result until a line is typed, again and again. */
  private static final String FILM =
      "while :; do rm -f /tmp/end; "
          + OpenClParts.IN_MACHINE
          + "frames 100000000 48 /tmp/end & p=$!; read x; touch /tmp/end; wait $p;"
          + " echo once-status $?; done";

  private static final List<String> ARGUMENTS =
      List.of("--memory", "512M", "--msg-timeout", "60000", "--append", "no_timer_check");

  private MachineHost source;
  private MachineHost target;
  private MachineHost plain; // without OpenCL

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(
        environment.isPresent(),
        "no machine environment: run ./sluice test, not mvn, to have one made");
    assumeTrue(TestHost.whyNot().isEmpty(), TestHost.whyNot());
    OpenClParts parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
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

  private static SessionsMXBean sessions(MachineHost side) {
    return side.daemon().connection().sessions();
  }

  private static SessionHostStatus host(MachineHost side) {
    return Objects.requireNonNull(sessions(side).getHosts().get(GUEST));
  }

  /** A program works at the source, and a machine waits at the target. */
  private void prepare() throws Exception {
    prepare(RUN);
  }

  private void prepare(String run) throws Exception {
    for (MachineHost side : List.of(source, target)) {
      side.ensure();
      Daemons.awaitGone(side.daemon(), GUEST);
      await().atMost(PATIENCE).until(() -> host(side).state().equals(SessionHostStatus.SERVING));
    }
    source.boot(run, ARGUMENTS, List.of());
    awaitAtWork(source);
    target.bootIncoming(run, ARGUMENTS);
  }

  /** What a check says of sessions that would come to a host. */
  private List<String> inTheWay(MachineHost to) throws Exception {
    // How long the machine would stand still is a forecast, by how much this host has to do.
    List<MigrationBlocker> blockers =
        source.migrations().check(GUEST, to.address(), Map.of()).blockers().stream()
            .filter(blocker -> !blocker.code().equals("SLU-MIG-066"))
            .toList();
    assertThat(blockers).extracting(MigrationBlocker::code).allMatch("SLU-MIG-046"::equals);
    assertThat(blockers).extracting(MigrationBlocker::remedy).doesNotContain("");
    return blockers.stream().map(MigrationBlocker::what).toList();
  }

  private List<String> attempts() {
    return source.migrations().getMigrations().values().stream()
        .map(MigrationStatusView::id)
        .toList();
  }

  private static SessionStatus awaitAtWork(MachineHost side) {
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

  private MigrationStatusView move() throws Exception {
    source.migrations().start(GUEST, target.address(), Map.of());
    return awaitOver();
  }

  private MigrationStatusView awaitOver() {
    await().atMost(PATIENCE).until(() -> source.view().over());
    return source.view();
  }

  /** Begins to move the machine, and holds the source when it has just entered a phase. */
  private void holdIn(Moment moment) throws Exception {
    source.stop().arm(moment.phase());
    source.migrations().start(GUEST, target.address(), Map.of());
    assertThat(source.stop().await(PATIENCE)).as(source.view().toString()).isTrue();
  }

  /** Ends the process in which sessions of a side live. */
  private static void killHost(MachineHost side) {
    ProcessHandle process = ProcessHandle.of(host(side).pid()).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  /** The program has lost its session; the next one works there. */
  private void checkLost(MachineHost side) throws Exception {
    side.machine().type("");
    assertThat(side.machine().await("once-status ", PATIENCE))
        .as(side.machine().console())
        .isEqualTo("1");
    assertThat(source.machine().console() + side.machine().console())
        .contains("CL_DEVICE_NOT_AVAILABLE");
    SessionStatus _ = awaitAtWork(side);
    checkWork(side);
  }

  /** The program that was there all the time says whether all it computed was right. */
  private static void checkWork(MachineHost side) throws Exception {
    side.machine().type("");
    assertThat(side.machine().await("once-status ", PATIENCE))
        .as(side.machine().console())
        .isEqualTo("0");
  }

  private void swap() {
    MachineHost left = source;
    source = target;
    target = left;
  }

  @Test
  void start_whileAProgramComputes_itsSessionMovesWithTheMachineAndBack() throws Exception {
    prepare();
    for (int i = 0; i < 2; i++) {
      MigrationStatusView view = move();
      assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
      awaitAtWork(target);
      await().atMost(PATIENCE).until(() -> sessions(source).list(GUEST).isEmpty());
      await().atMost(PATIENCE).until(() -> !source.machine().isAlive());
      source.dropMachine();
      assertThat(source.leftSockets()).isEmpty();
      swap();
      if (i == 0) {
        Daemons.awaitGone(target.daemon(), GUEST);
        target.bootIncoming(RUN, ARGUMENTS);
      }
    }
    checkWork(source);
    assertThat(target.migrations().report(GUEST, "json")).contains("\"sessions\":{\"moved\":1,");
  }

  @ParameterizedTest
  @EnumSource(names = {"PRE_COPY", "DRAIN", "FINAL_COPY"})
  void abort_inAPhase_programGoesOnAndTheNextMoveIsDone(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    source.migrations().abort(GUEST);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    SessionStatus session = awaitAtWork(source);
    await()
        .atMost(PATIENCE)
        .until(() ->
            sessions(source).list(GUEST).stream()
                .anyMatch(
                    each -> each.number() > session.number() || each.calls() > session.calls()));
    checkWork(source);
    await().atMost(PATIENCE).until(() -> sessions(target).list(GUEST).isEmpty());

    target.dropMachine();
    Daemons.awaitGone(target.daemon(), GUEST);
    target.bootIncoming(RUN, ARGUMENTS);
    SessionStatus _ = awaitAtWork(source);
    MigrationStatusView view = move();
    assertThat(view.phase()).as(view.reason()).isEqualTo("done");
    checkWork(target);
  }

  @Test
  void link_cutWhileTheSessionStands_programGoesOnWhereTheMachineIs() throws Exception {
    prepare();
    holdIn(Moment.FINAL_COPY);
    target.link().cut();
    source.stop().release();
    boolean moved = awaitOver().phase().equals("done");
    checkWork(moved ? target : source);
    MachineHost other = moved ? source : target;
    await().atMost(PATIENCE).until(() -> sessions(other).list(GUEST).isEmpty());
  }

  /** A film is filtered in the source's machine, by a session that lives at the target's daemon. */
  private SessionStatus prepareAway() throws Exception {
    prepare(FILM);
    SessionStatus session = awaitAtWork(source);
    assertThat(sessions(source).move(GUEST, session.number(), target.address(), false).sentBytes())
        .isPositive();
    awaitCalls(source);
    return session;
  }

  private static void awaitCalls(MachineHost side) throws Exception {
    long calls = sessions(side).list(GUEST).getFirst().calls() + AT_WORK;
    await().atMost(PATIENCE).until(() -> sessions(side).list(GUEST).getFirst().calls() > calls);
  }

  private static void awaitNoVisitors(MachineHost side) {
    await()
        .atMost(PATIENCE)
        .until(() -> sessions(side).list("").stream().allMatch(each -> each.guest().equals(GUEST)));
  }

  @Test
  void start_whileTheSessionLivesAtAnotherHost_itComesAlong() throws Exception {
    SessionStatus _ = prepareAway();
    assertThat(inTheWay(target)).isEmpty();
    awaitCalls(source);

    MigrationStatusView view = move();

    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    assertThat(source.migrations().report(GUEST, "json")).contains("\"sessions\":{\"moved\":1,");
    assertThat(sessions(target).list(GUEST))
        .singleElement()
        .extracting(SessionStatus::host)
        .isEqualTo("default");
    awaitCalls(target);
    checkWork(target);
    awaitNoVisitors(target);
    await().atMost(PATIENCE).until(() -> sessions(source).list("").isEmpty());
  }

  @ParameterizedTest
  @EnumSource(names = {"PRE_COPY", "FINAL_COPY"})
  void abort_whileTheSessionLivesAtAnotherHost_itGoesOnThereAndTheNextMoveIsDone(Moment moment)
      throws Exception {
    SessionStatus session = prepareAway();
    holdIn(moment);
    source.migrations().abort(GUEST);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    awaitCalls(source);
    assertThat(sessions(source).list(GUEST))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.number()).isEqualTo(session.number());
          assertThat(each.host()).isEqualTo(target.address());
        });

    target.dropMachine();
    Daemons.awaitGone(target.daemon(), GUEST);
    target.bootIncoming(FILM, ARGUMENTS);
    MigrationStatusView view = move();
    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    awaitCalls(target);
    checkWork(target);
    awaitNoVisitors(target);
  }

  @Test
  void otherHost_ofASessionThatLeaves_killed_programHearsItAndTheMachineMoves() throws Exception {
    SessionStatus _ = prepareAway();
    long own = host(target).pid();
    ProcessHandle visitor =
        target
            .daemon()
            .process()
            .children()
            .filter(child -> child.pid() != own)
            .findFirst()
            .orElseThrow();
    holdIn(Moment.PRE_COPY);
    visitor.destroyForcibly();
    visitor.onExit().join();
    source.stop().release();
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).as(view.reason()).isEqualTo("done");
    checkLost(target);
    awaitNoVisitors(target);
  }

  @Test
  void link_cutWhileASessionFromElsewhereStands_programGoesOnOrHearsIt() throws Exception {
    SessionStatus _ = prepareAway();
    holdIn(Moment.FINAL_COPY);
    target.link().cut();
    source.stop().release();
    MachineHost side = awaitOver().phase().equals("done") ? target : source;
    side.machine().type("");
    if (!side.machine().await("once-status ", PATIENCE).equals("0")) {
      assertThat(source.machine().console() + side.machine().console())
          .contains("CL_DEVICE_NOT_AVAILABLE");
    }
    SessionStatus _ = awaitAtWork(side);
    checkWork(side);
    awaitNoVisitors(target);
  }

  @Test
  void destination_withoutOpenCl_refusesAndTheProgramGoesOn() throws Exception {
    prepare();
    plain.ensure();
    plain.bootIncoming(RUN, ARGUMENTS);
    assertThat(inTheWay(plain))
        .singleElement()
        .asString()
        .contains("1 API sessions")
        .contains("may have no API sessions there");
    source.migrations().start(GUEST, plain.address(), Map.of());
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).isEqualTo("aborted");
    assertThat(view.reason()).contains("API sessions");
    checkWork(source);
  }

  @Test
  void sourcesHost_killedBeforeTheStop_programHearsItAndTheMachineMoves() throws Exception {
    prepare();
    holdIn(Moment.PRE_COPY);
    killHost(source);
    source.stop().release();
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).as(view.reason()).isEqualTo("done");
    checkLost(target);
  }

  @Test
  void destinationsHost_killedBeforeTheStop_moveIsGivenUpAndTheProgramGoesOn() throws Exception {
    prepare();
    holdIn(Moment.DETACH);
    killHost(target);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    checkWork(source);
  }

  @Test
  void destinationsHost_killedAtTheCommit_programHearsItThere() throws Exception {
    prepare();
    holdIn(Moment.COMMIT);
    killHost(target);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("done");
    checkLost(target);
  }

  @Test
  void check_twoSessions_namesWhatIsInTheWayAndTouchesNothing() throws Exception {
    prepare(TWO);
    await()
        .atMost(PATIENCE)
        .until(() ->
            sessions(source).list(GUEST).stream().filter(each -> each.calls() > AT_WORK).count()
                == 2);
    SessionHostStatus there = host(target);
    SessionsMXBean limits = sessions(target);
    List<String> attemptsBefore = attempts();
    assertThat(inTheWay(target)).isEmpty();

    limits.limit(GUEST, 1, null);
    assertThat(inTheWay(target))
        .singleElement()
        .asString()
        .matches("session \\d+: there are as many sessions as there may be");

    limits.limit(GUEST, there.sessionLimit(), 100L << 10);
    assertThat(inTheWay(target))
        .isNotEmpty()
        .allMatch(why -> why.matches("session \\d+: .*mem \\d+ cannot be made here.*"));

    limits.limit(GUEST, there.sessionLimit(), there.memoryLimitBytes());
    assertThat(inTheWay(target)).isEmpty();
    assertThat(attempts()).as("migrations that were begun").isEqualTo(attemptsBefore);
    assertThat(host(target).pid()).as("the host that was asked").isEqualTo(there.pid());
    await().atMost(PATIENCE).until(() -> host(target).sessions() == 0);

    MigrationStatusView view = move();
    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    assertThat(source.migrations().report(GUEST, "json")).contains("\"sessions\":{\"moved\":2,");
    long calls = awaitAtWork(target).calls();
    await()
        .atMost(PATIENCE)
        .until(() ->
            sessions(target).list(GUEST).stream().filter(each -> each.calls() > calls).count() > 0);
    assertThat(sessions(target).list(GUEST)).hasSize(2);
  }
}
