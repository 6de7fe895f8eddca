package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.Daemons;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A machine that moves before its program's session, which stays at the source, and follows. */
@TakesLong("each boots machines and moves them")
final class MachineFirstTest extends MovingMachineSessions {
  private Map<String, String> staying() {
    return Map.of("sessions", "stay", "sessions-at", source.address());
  }

  /** A film is filtered in the source's machine, and a machine waits at the target. */
  private SessionStatus begin() throws Exception {
    prepare(FILM);
    return awaitAtWork(source);
  }

  /** Moves the machine; its session is still at the source then. */
  private long moveMachine() throws Exception {
    SessionStatus _ = begin();
    source.migrations().start(GUEST, target.address(), staying());
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    return sessions(target).list(GUEST).getFirst().number();
  }

  private static boolean hasVisitors(MachineHost side) throws Exception {
    return sessions(side).list("").stream().anyMatch(each -> !each.guest().equals(GUEST));
  }

  private void checkAtSource() throws Exception {
    awaitCalls(source);
    assertThat(sessions(source).list(GUEST))
        .singleElement()
        .extracting(SessionStatus::host)
        .isEqualTo("default");
    awaitNoVisitors(source);
    await().atMost(PATIENCE).until(() -> sessions(target).list("").isEmpty());
  }

  private void checkNextMove() throws Exception {
    target.dropMachine();
    Daemons.awaitGone(target.daemon(), GUEST);
    target.bootIncoming(FILM, ARGUMENTS);
    source.migrations().start(GUEST, target.address(), staying());
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).as(view.reason() + "\n" + source.daemon().log()).isEqualTo("done");
    awaitCalls(target);
    checkWork(target);
    awaitNoVisitors(source);
  }

  @Test
  void start_withSessionsThatStay_programGoesOnAndTheSessionFollows() throws Exception {
    long session = moveMachine();
    assertThat(source.migrations().report(GUEST, "json"))
        .contains("\"sessions\":{\"moved\":1,")
        .contains("\"stayedAt\":[\"" + source.address() + "\"]");
    assertThat(sessions(target).list(GUEST))
        .singleElement()
        .extracting(SessionStatus::host)
        .isEqualTo(source.address());
    assertThat(hasVisitors(source)).isTrue();
    awaitCalls(target);

    SessionMove move = sessions(target).move(GUEST, session, "default", false);

    assertThat(move.sentBytes()).isPositive();
    awaitNoVisitors(source);
    awaitCalls(target);
    checkWork(target);
    await().atMost(PATIENCE).until(() -> sessions(source).list("").isEmpty());
  }

  @ParameterizedTest
  @EnumSource(names = {"PRE_COPY", "FINAL_COPY"})
  void abort_inAPhase_sessionIsWhereItWasAndTheNextMoveIsDone(Moment moment) throws Exception {
    SessionStatus _ = begin();
    holdIn(moment, staying());
    source.migrations().abort(GUEST);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    checkAtSource();
    checkNextMove();
  }

  @Test
  void source_thatIsNotReached_moveIsGivenUpAndTheProgramGoesOn() throws Exception {
    SessionStatus _ = begin();
    source
        .migrations()
        .start(GUEST, target.address(), Map.of("sessions-at", plain.host().gateway() + ":1"));
    MigrationStatusView view = awaitOver();
    assertThat(view.phase()).isEqualTo("aborted");
    assertThat(view.reason()).contains("does not reach a session that stays");
    checkAtSource();
    checkWork(source);
  }

  @Test
  void link_cutWhenTheMachineHasMoved_programHearsIt() throws Exception {
    long _ = moveMachine();
    awaitCalls(target);
    source.link().cut();
    checkLost(target);
    awaitNoVisitors(source);
  }

  /** Kills the session host that a daemon has beside its guest's own. */
  private static void killOtherThan(long own, MachineHost host) {
    ProcessHandle other =
        host.daemon()
            .process()
            .children()
            .filter(child -> child.pid() != own)
            .findFirst()
            .orElseThrow();
    other.destroyForcibly();
    other.onExit().join();
  }

  @Test
  @Tag("long")
  void farEnd_killedBeforeTheStop_moveIsGivenUpAndTheProgramGoesOn() throws Exception {
    SessionStatus _ = begin();
    long own = host(source).pid();
    holdIn(Moment.DETACH, staying());
    killOtherThan(own, source);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("aborted");
    checkAtSource();
    checkWork(source);
  }

  @Test
  @Tag("long")
  void nearEnd_killedAtTheCommit_programHearsItThere() throws Exception {
    SessionStatus _ = begin();
    long own = host(target).pid();
    holdIn(Moment.COMMIT, staying());
    killOtherThan(own, target);
    source.stop().release();
    assertThat(awaitOver().phase()).isEqualTo("done");
    checkLost(target);
    awaitNoVisitors(source);
  }
}
