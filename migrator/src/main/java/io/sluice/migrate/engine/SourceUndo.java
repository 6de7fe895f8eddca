package io.sluice.migrate.engine;

import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.GuestMove;
import io.sluice.migrate.engine.UndoState.Attached;
import io.sluice.migrate.engine.UndoState.Attempt;
import io.sluice.migrate.engine.UndoState.GivenUp;
import io.sluice.migrate.engine.UndoState.TakingBack;
import io.sluice.migrate.engine.UndoState.Unwanted;
import io.sluice.migrate.engine.UndoState.WentOn;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.StateMachine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The undoing of what a source has done, so that its guest goes on as if nothing had been. */
final class SourceUndo {
  private static final Logger LOG = LoggerFactory.getLogger(SourceUndo.class);

  /** Its guest has not gone on yet, or was never held. */
  static final long NOT_YET = -1;

  private final String guest;
  private final GuestMove move;
  private final SourceMachine machine;
  private final Runnable copying;
  private final StateMachine<UndoStage, UndoState> life;

  /**
   * @param guest its name, for the log
   * @param copying ends the copying of video memory, first of all
   */
  SourceUndo(String guest, GuestMove move, SourceMachine machine, Runnable copying) {
    this.guest = guest;
    this.move = move;
    this.machine = machine;
    this.copying = copying;
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

  /** Why it was given up, as far as it is known. */
  Reason why() {
    return attempt().reason();
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
   * guest left, its machine ended or this host has no memory left, does not keep the rest from it.
   *
   * @param link to the destination, which is told why; null when it knows of nothing yet
   */
  void begin(@Nullable MigrationLink link) {
    Attempt attempt = attempt();
    life.enter(new TakingBack(attempt), "it is taken back");
    attempt("COPYING", copying);
    for (Phase.Undo undo : attempt.phase().undo()) {
      switch (undo) {
        case TELL_DESTINATION -> attempt(undo.name(), () -> tell(link, attempt.why()));
        case MACHINE -> attempt(undo.name(), machine::abort);
        case ATTACH -> {} // last
      }
    }
  }

  /**
   * Ends it: the GPU goes on, once nobody writes guest memory for the migration any more, and so
   * does the machine. Then the destination's word is waited for.
   *
   * @return false while something of it is yet to come: call again
   */
  boolean end(long nowNs) {
    if (life.state() instanceof TakingBack(Attempt attempt) && machine.isSettled()) {
      if (attempt.phase().undo().contains(Phase.Undo.ATTACH)) {
        attempt(Phase.Undo.ATTACH.name(), () -> move.attachAll("migration given up"));
      }
      life.enter(new Attached(attempt), "nobody writes guest memory any more");
    }
    if (life.state() instanceof Attached(Attempt attempt)
        && (!attempt.phase().undo().contains(Phase.Undo.MACHINE) || machine.hasGoneOn())) {
      life.enter(new WentOn(attempt, nowNs - attempt.sinceNs()), "GPU and machine go on");
    }
    return life.state() instanceof WentOn(Attempt attempt, long _) && attempt.listen(nowNs);
  }

  private void attempt(String undo, Runnable step) {
    try {
      step.run();
    } catch (SluiceException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("undo", undo)
          .log("could not be taken back", e);
    } catch (RuntimeException | Error e) {
      LOG.atError()
          .addKeyValue("guest", guest)
          .addKeyValue("undo", undo)
          .setCause(e)
          .log("could not be taken back");
    }
  }

  private static void tell(@Nullable MigrationLink link, Reason why) {
    try {
      if (link != null && link.failure().isEmpty()) {
        link.send(MigrationLink.CONTROL, why.encode());
      }
    } catch (SluiceException _) {
      // It ended just now: the destination sees that, and discards what it has.
    }
  }
}
