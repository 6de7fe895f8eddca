package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Processes;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A machine with a session meets a fault in each phase of its move before it is given away. It goes
 * on on exactly one side. Its program goes on with it and has right results, or has heard that its
 * session is lost where docs/sessions.md allows that; the other side has nothing of the session.
 */
@Tag("long")
@Tag("migration-faults")
@TakesLong("each boots machines and moves them")
final class MachineSessionsFaultTest extends MovingMachineSessions {
  /** Names of the phases that are met, separated by commas; empty for all. */
  private static final String MOMENTS = System.getProperty("sluice.moments", "");

  /** The phase in which the destination decides. */
  private static final String GIVEN_AWAY = "commit";

  static Stream<Moment> moments() {
    return Stream.of(Moment.values())
        .filter(moment -> moment.compareTo(Moment.COMMIT) < 0)
        .filter(moment -> MOMENTS.isEmpty() || List.of(MOMENTS.split(",")).contains(moment.name()));
  }

  @ParameterizedTest
  @MethodSource("moments")
  void sourcesHostKilled(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    killHost(source);
    release();
    assertThat(awaitOver().phase()).as(source.view().reason()).isEqualTo("done");
    checkSession(true, true);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void sourcesHostStopped(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    stopHost(source);
    checkSession(isDone(), true);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void targetsHostKilled(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    killHost(target);
    release();
    boolean moved = awaitOver().phase().equals("done");
    if (moment == Moment.PRE_COPY || moment == Moment.DETACH) {
      assertThat(moved).as(source.view().toString()).isFalse();
    }
    checkSession(moved, moved);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void targetsHostStopped(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    stopHost(target);
    boolean moved = isDone();
    checkSession(moved, moved);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void targetsDaemonKilled(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    target.killDaemon();
    release();
    if (!moment.isBeforeCommit()) {
      target.ensure(); // its record decides
    }
    assertThat(awaitOver().phase()).as(source.view().reason()).isEqualTo("aborted");
    checkSession(false, false);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void targetsDaemonStopped(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    Processes.stop(target.daemon().pid());
    try {
      source.stop().release();
      if (moment.isBeforeCommit()) {
        await()
            .atMost(PATIENCE)
            .until(() -> source.view().over() || source.view().phase().equals(GIVEN_AWAY));
      }
    } finally {
      target.signal("CONT");
    }
    release();
    checkSession(isDone(), false);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void linkCut(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    target.link().cut();
    release();
    checkSession(isDone(), false);
  }

  @ParameterizedTest
  @MethodSource("moments")
  void cancelled(Moment moment) throws Exception {
    prepare();
    holdIn(moment);
    boolean early = moment.isBeforeCommit();
    try {
      source.migrations().abort(GUEST);
    } catch (OperationsException _) {
      assertThat(early).isFalse();
    }
    release();
    boolean moved = isDone();
    assertThat(moved && early).as(source.view().toString()).isFalse();
    checkSession(moved, false);
    if (!moved) {
      target.dropMachine();
      Daemons.awaitGone(target.daemon(), GUEST);
      target.bootIncoming(RUN, ARGUMENTS);
      source.migrations().start(GUEST, target.address(), Map.of());
      assertThat(isDone()).as(source.view().toString()).isTrue();
      checkSession(true, false);
    }
  }

  private boolean isDone() {
    return awaitOver().phase().equals("done");
  }

  /** Stops the host of a side's sessions until the move is over. */
  private void stopHost(MachineHost side) throws Exception {
    ProcessHandle process = hostProcess(side);
    Processes.stop(process.pid());
    try {
      release();
      boolean _ = isDone();
    } finally {
      if (process.isAlive()) {
        Processes.signal(process.pid(), "CONT");
      }
    }
  }

  /**
   * The machine is where it is said to be, and its program has a session there.
   *
   * @param mayBeLost whether the program may have lost the session that it had
   */
  private void checkSession(boolean moved, boolean mayBeLost) throws Exception {
    MachineHost side = moved ? target : source;
    MachineHost other = moved ? source : target;
    boolean right = isRight(side);
    if (!right) {
      assertThat(mayBeLost).as("lost, moved=%s: %s", moved, side.machine().console()).isTrue();
      checkNext(side);
    }
    if (other.isAlive()) {
      await().atMost(PATIENCE).until(() -> sessions(other).list("").isEmpty());
    }
  }
}
