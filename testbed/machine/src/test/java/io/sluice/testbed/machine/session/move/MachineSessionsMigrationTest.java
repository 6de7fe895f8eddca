package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.PrintedInMachine;
import io.sluice.testbed.opencl.AllowedDifferences;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A machine in which an OpenCL program runs, and that moves to another daemon with the program's
 * session.
 */
@TakesLong("each boots machines and moves them")
final class MachineSessionsMigrationTest extends MovingMachineSessions {
  /** Two programs that compute until a line is typed. */
  private static final String TWO =
      OpenClParts.IN_MACHINE
          + "matrix 128 10000000 & a=$!; "
          + OpenClParts.IN_MACHINE
          + "matrix 64 10000000 & b=$!; read x; kill $a $b; wait; echo both-status ended";

  /** Objects of all kinds that live long; what they come to is compared with the first time. */
  private static final String LIVED =
      again(
          OpenClParts.IN_MACHINE
              + "long_lived > /tmp/out 2>&1; [ -e /tmp/first ] || cp /tmp/out /tmp/first;"
              + " cmp -s /tmp/out /tmp/first",
          "echo '@@ long_lived 0'; sed 's/^/@/' /tmp/first; ");

  /** What a check says of sessions that would come to a host. */
  private List<String> inTheWay(MachineHost to) throws Exception {
    List<MigrationBlocker> blockers =
        source.migrations().check(GUEST, to.address(), Map.of()).blockers();
    assertThat(blockers).extracting(MigrationBlocker::code).allMatch("SLU-MIG-046"::equals);
    assertThat(blockers).extracting(MigrationBlocker::remedy).doesNotContain("");
    return blockers.stream().map(MigrationBlocker::what).toList();
  }

  private List<String> attempts() {
    return source.migrations().getMigrations().values().stream()
        .map(MigrationStatusView::id)
        .toList();
  }

  @Test
  void start_whileAProgramComputes_itsSessionMovesWithTheMachineAndBack() throws Exception {
    prepare(FILM);
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
        target.bootIncoming(FILM, ARGUMENTS);
      }
    }
    checkWork(source);
    assertThat(target.migrations().report(GUEST, "json")).contains("\"sessions\":{\"moved\":1,");
  }

  @Test
  void start_whileObjectsOfAllKindsAreAtWork_theyComeToWhatTheyDoNatively(@TempDir Path work)
      throws Exception {
    String program = parts.program("long_lived").toString();
    AllowedDifferences differences = AllowedDifferences.read();
    List<String> expected =
        differences.expected("long_lived", parts.natively(work, List.of(program)).output());
    prepare(LIVED);

    MigrationStatusView view = move();

    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    checkWork(target);
    Result printed =
        Objects.requireNonNull(PrintedInMachine.of(target.machine().console()).get("long_lived"));
    assertThat(differences.printed("long_lived", printed.output()))
        .isNotEmpty()
        .containsExactlyElementsOf(expected);
  }

  @ParameterizedTest
  @EnumSource(names = "FINAL_COPY")
  void abort_inAPhase_programGoesOnAndTheNextMoveIsDone(Moment moment) throws Exception {
    abortIn(moment);
  }

  @ParameterizedTest
  @EnumSource(names = {"PRE_COPY", "DETACH", "DRAIN", "RESTORE"})
  @Tag("long")
  void abort_inAnotherPhase_programGoesOnAndTheNextMoveIsDone(Moment moment) throws Exception {
    abortIn(moment);
  }

  private void abortIn(Moment moment) throws Exception {
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
  @Tag("long")
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
  @EnumSource(names = "FINAL_COPY")
  void abort_whileTheSessionLivesAtAnotherHost_itGoesOnThereAndTheNextMoveIsDone(Moment moment)
      throws Exception {
    abortAway(moment);
  }

  @ParameterizedTest
  @EnumSource(names = "PRE_COPY")
  @Tag("long")
  void abort_soonWhileTheSessionLivesAtAnotherHost_itGoesOnThereAndTheNextMoveIsDone(Moment moment)
      throws Exception {
    abortAway(moment);
  }

  private void abortAway(Moment moment) throws Exception {
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
    if (!isRight(side)) {
      checkNext(side);
    }
    awaitNoVisitors(target);
  }

  @Test
  void destination_withoutOpenCl_refusesAndTheProgramGoesOn() throws Exception {
    prepare(FILM);
    plain.ensure();
    plain.bootIncoming(FILM, ARGUMENTS);
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
    prepare(FILM);
    holdIn(Moment.PRE_COPY);
    killHost(source);
    source.stop().release();
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).as(view.reason()).isEqualTo("done");
    checkLost(target);
  }

  @Test
  @Tag("long")
  void destinationsHost_killedBeforeTheStop_moveIsGivenUpAndTheProgramGoesOn() throws Exception {
    prepare(FILM);
    holdIn(Moment.DETACH);
    killHost(target);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    checkWork(source);
  }

  @Test
  void destinationsHost_killedAtTheCommit_programHearsItThere() throws Exception {
    prepare(FILM);
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
