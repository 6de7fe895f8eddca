package io.sluice.remoting.session;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The intake of a session's calls: they are taken, or it is paused and what was taken comes to its
 * end. Belongs to the session's thread.
 */
final class CallIntake {
  /**
   * The states of a session's intake of calls.
   *
   * <pre>
   *              a pause that is asked for anew
   *                 ┌─────────────┬──────────┐
   *                 ▼             │          │
   *  TAKING ──► FINISHING ──► SETTLING ──► QUIET
   *    ▲            │             │          │
   *    └────────────┴─────────────┴──────────┘
   * </pre>
   */
  enum IntakeState {
    /** Calls are taken. */
    TAKING,
    /** No call is taken; what was taken is to be brought to its end. */
    FINISHING,
    /** What was taken comes to its end. */
    SETTLING,
    /** It has, and whoever asked for the pause knows. */
    QUIET;

    private Set<IntakeState> next() {
      return switch (this) {
        case TAKING -> EnumSet.of(FINISHING);
        case FINISHING -> EnumSet.of(SETTLING, TAKING);
        case SETTLING -> EnumSet.of(QUIET, FINISHING, TAKING);
        case QUIET -> EnumSet.of(FINISHING, TAKING);
      };
    }

    /** Whether another state may follow. */
    boolean mayBecome(IntakeState following) {
      return next().contains(following);
    }
  }

  /**
   * The states of the calls that take long.
   *
   * <pre>
   *  TAKEN ◄──► AWAITED ──► HELD ──► TAKEN
   * </pre>
   */
  enum LongCalls {
    /** They are taken as the others. */
    TAKEN,
    /** They are taken until there is a moment in which none is under way. */
    AWAITED,
    /** The next one is not taken, nor is anything behind it; some may be under way. */
    HELD;

    private Set<LongCalls> next() {
      return switch (this) {
        case TAKEN -> EnumSet.of(AWAITED);
        case AWAITED -> EnumSet.of(HELD, TAKEN);
        case HELD -> EnumSet.of(TAKEN);
      };
    }

    /** Whether another state may follow. */
    boolean mayBecome(LongCalls following) {
      return next().contains(following);
    }
  }

  private IntakeState state = IntakeState.TAKING;
  private LongCalls longCalls = LongCalls.TAKEN;
  private CompletableFuture<Boolean> held = CompletableFuture.completedFuture(true);
  private CompletableFuture<Boolean> quiet =
      CompletableFuture.completedFuture(true); // of the pause

  /** The one place that changes the state of the calls that take long. */
  private void enter(LongCalls next) {
    if (!longCalls.mayBecome(next)) {
      throw new AssertionError("no such transition, from=" + longCalls + " to=" + next);
    }
    longCalls = next;
  }

  /** The one place that changes the state. */
  private void enter(IntakeState next) {
    if (!state.mayBecome(next)) {
      throw new AssertionError("no such transition, from=" + state + " to=" + next);
    }
    state = next;
  }

  /** Whether calls are taken. */
  boolean takes() {
    return state == IntakeState.TAKING;
  }

  /** Whether the next call, should there be one, may be taken now. */
  boolean takesNext(ApiSession executing, SessionPort.CallSource calls) {
    return takes()
        && !executing.isHeldBack()
        && (longCalls != LongCalls.HELD || !calls.leavesCalls() || isShort(executing, calls));
  }

  /** One that is not there yet may take long. */
  private static boolean isShort(ApiSession executing, SessionPort.CallSource calls) {
    int next = calls.nextCall();
    return next != 0 && !executing.takesLong(next);
  }

  /**
   * Holds the calls that take long from the moment on in which none is under way.
   *
   * @param whenNone is completed when they are held and none is under way; cancelled when they are
   *     taken again before
   */
  void holdLongCalls(CompletableFuture<Boolean> whenNone) {
    takeLongCalls();
    held = whenNone;
    enter(LongCalls.AWAITED);
  }

  /** Holds those that come from now on, if they are to be held. */
  void holdNextLongCall() {
    if (longCalls == LongCalls.AWAITED) {
      enter(LongCalls.HELD);
    }
  }

  /** Takes them again. */
  void takeLongCalls() {
    if (longCalls != LongCalls.TAKEN) {
      held.cancel(false);
      enter(LongCalls.TAKEN);
    }
  }

  /**
   * Takes no calls any more; in a pause, what was taken is brought to its end once more.
   *
   * @param whenQuiet is completed when it has come to its end
   */
  void pause(CompletableFuture<Boolean> whenQuiet) {
    quiet = whenQuiet;
    if (state != IntakeState.FINISHING) {
      enter(IntakeState.FINISHING);
    }
  }

  /** Takes calls again. */
  void resume() {
    if (state != IntakeState.TAKING) {
      enter(IntakeState.TAKING);
    }
  }

  /**
   * Goes on with a pause, and holds the calls that take long.
   *
   * @param executing what was taken
   * @param context of the session, which has its works
   * @return how much of that was done
   */
  int poll(ApiSession executing, SessionContext context) {
    int done = 0;
    if (longCalls != LongCalls.TAKEN && !held.isDone() && !context.hasWorks()) {
      holdNextLongCall();
      boolean _ = held.complete(true);
      done++;
    }
    return done + pollPause(executing, context);
  }

  private int pollPause(ApiSession executing, SessionContext context) {
    if (state == IntakeState.FINISHING && !executing.isHeldBack()) {
      enter(IntakeState.SETTLING);
      executing.state().ifPresent(ApiState::finish);
    }
    if (state != IntakeState.SETTLING || quiet.isDone() || context.hasWorks()) {
      return 0;
    }
    boolean isFinished = executing.state().map(ApiState::isFinished).orElse(false);
    if (!isFinished || !quiet.complete(true)) {
      return 0;
    }
    enter(IntakeState.QUIET);
    return 1;
  }

  /** The session is over: nobody waits for it any more. */
  void cancel() {
    quiet.cancel(false);
    held.cancel(false);
  }
}
