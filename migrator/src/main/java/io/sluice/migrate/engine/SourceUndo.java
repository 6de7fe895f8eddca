package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.GuestMove;
import io.sluice.migrate.engine.UndoState.Attached;
import io.sluice.migrate.engine.UndoState.Attempt;
import io.sluice.migrate.engine.UndoState.GivenUp;
import io.sluice.migrate.engine.UndoState.TakingBack;
import io.sluice.migrate.engine.UndoState.Unwanted;
import io.sluice.migrate.engine.UndoState.WentOn;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.RetriedStep;
import io.sluice.migrate.phase.StateMachine;
import org.jspecify.annotations.Nullable;

/**
 * The undoing of what a source has done, so that its guest goes on as if nothing had been. A step
 * that fails is tried again; one that fails for good is told with the reason.
 */
final class SourceUndo {
  /** Its guest has not gone on yet, or was never held. */
  static final long NOT_YET = -1;

  private final SourceMachine machine;
  private final RetriedStep copying;
  private final RetriedStep telling;
  private final RetriedStep resuming; // the machine
  private final RetriedStep attaching;
  private final ImmutableList<RetriedStep> steps;
  private final StateMachine<UndoStage, UndoState> life;
  private @Nullable MigrationLink link;

  /**
   * @param guest its name, for the log
   * @param copying ends the copying of video memory, first of all
   */
  SourceUndo(String guest, GuestMove move, SourceMachine machine, Runnable copying) {
    this.machine = machine;
    this.copying = step("COPYING", guest, copying);
    telling = step(Phase.Undo.TELL_DESTINATION.name(), guest, this::tell);
    resuming = step(Phase.Undo.MACHINE.name(), guest, machine::abort);
    attaching = step(Phase.Undo.ATTACH.name(), guest, () -> move.attachAll("migration given up"));
    steps = ImmutableList.of(this.copying, telling, resuming, attaching);
    life = new StateMachine<>("undoing of " + guest, new Unwanted());
  }

  /**
   * The migration is given up; once more, when there was no memory left to say so the first time.
   */
  void of(Attempt attempt) {
    if (life.stage() != UndoStage.GIVEN_UP) {
      life.enter(new GivenUp(attempt), attempt.why().what());
    }
  }

  private static RetriedStep step(String undo, String guest, Runnable work) {
    return new RetriedStep("taking back " + undo + " of a migration of " + guest, work);
  }

  /** Why it was given up, as far as it is known, and what could not be taken back. */
  Reason why() {
    Reason why = attempt().reason();
    for (RetriedStep step : steps) {
      if (step.failure().isPresent()) {
        why =
            new Reason(
                why.code(),
                why.what() + "; " + step.name() + " failed: " + step.failure().orElseThrow(),
                MigrationCode.NOT_TAKEN_BACK.text().remedy());
      }
    }
    return why;
  }

  private Attempt attempt() {
    return switch (life.state()) {
      case Unwanted _ -> throw new IllegalStateException("nothing was given up");
      case GivenUp(Attempt of) -> of;
      case TakingBack(Attempt of) -> of;
      case Attached(Attempt of) -> of;
      case WentOn(Attempt of, long _) -> of;
    };
  }

  /**
   * How long it took from giving up until GPU and machine went on, in nanoseconds; {@link #NOT_YET}
   * before. Any thread may ask.
   */
  long wentOnNs() {
    return life.state() instanceof WentOn(Attempt _, long tookNs) ? tookNs : NOT_YET;
  }

  /** Whether {@link #begin} was called. */
  boolean isBegun() {
    return life.stage() != UndoStage.GIVEN_UP;
  }

  /**
   * Begins to take back what belongs to the phase: all but the GPU. What cannot be, because the
   * guest left, its machine ended or this host has no memory left, does not keep the rest from it,
   * and is tried again.
   *
   * @param told the link to the destination, which is told why; null when it knows of nothing yet
   */
  void begin(@Nullable MigrationLink told, long nowNs) {
    Attempt attempt = attempt();
    link = told;
    life.enter(new TakingBack(attempt), "it is taken back");
    boolean _ = takeBack(attempt, nowNs);
  }

  /** Tries what is left but for the GPU; whether nothing of it is left to try. */
  private boolean takeBack(Attempt attempt, long nowNs) {
    boolean over = copying.poll(nowNs);
    for (Phase.Undo undo : attempt.phase().undo()) {
      over &=
          switch (undo) {
            case TELL_DESTINATION -> telling.poll(nowNs);
            case MACHINE -> resuming.poll(nowNs);
            case ATTACH -> true; // last
          };
    }
    return over;
  }

  /** Tries to have the GPU go on; whether nothing of that is left to try. */
  private boolean attach(Attempt attempt, long nowNs) {
    return !attempt.phase().undo().contains(Phase.Undo.ATTACH) || attaching.poll(nowNs);
  }

  /**
   * Ends it: the GPU goes on, once nobody writes guest memory for the migration any more, and so
   * does the machine. Then the destination's word is waited for.
   *
   * @return false while something of it is yet to come: call again
   */
  boolean end(long nowNs) {
    if (life.state() instanceof TakingBack(Attempt attempt)
        && takeBack(attempt, nowNs)
        && machine.isSettled()
        && attach(attempt, nowNs)) {
      life.enter(new Attached(attempt), "nobody writes guest memory any more");
    }
    if (life.state() instanceof Attached(Attempt attempt)
        && (!attempt.phase().undo().contains(Phase.Undo.MACHINE) || machine.hasGoneOn())) {
      life.enter(new WentOn(attempt, nowNs - attempt.sinceNs()), "GPU and machine go on");
    }
    return life.state() instanceof WentOn(Attempt attempt, long _) && attempt.listen(nowNs);
  }

  private void tell() {
    MigrationLink told = link;
    try {
      if (told != null && told.failure().isEmpty()) {
        boolean _ = told.send(MigrationLink.CONTROL, attempt().why().encode());
      }
    } catch (SluiceException _) {
      // It ended just now: the destination sees that, and discards what it has.
    }
  }
}
