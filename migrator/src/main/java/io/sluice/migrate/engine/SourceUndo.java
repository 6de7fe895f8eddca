package io.sluice.migrate.engine;

import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.GuestMove;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.Phase;
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
  private Phase phase = Phase.PREPARE;
  private Reason why = new Reason("", "", "");
  private boolean begun;
  private boolean attached;
  private long sinceNs;
  private volatile long wentOnNs = NOT_YET;
  private @Nullable PeerFailure peerFailure;

  /**
   * @param guest its name, for the log
   */
  SourceUndo(String guest, GuestMove move, SourceMachine machine) {
    this.guest = guest;
    this.move = move;
    this.machine = machine;
  }

  /** What is to be taken back belongs to a phase; why it is. */
  void of(Phase givenUp, Reason reason, long nowNs) {
    phase = givenUp;
    why = reason;
    sinceNs = nowNs;
    begun = false;
  }

  /**
   * The machine has failed, and the destination may know why.
   *
   * @param link by which that says so
   */
  void hear(MigrationLink link) {
    peerFailure = machine.destinationMayKnowWhy() ? new PeerFailure(link, sinceNs) : null;
  }

  /** As far as it is known. */
  Reason why() {
    return peerFailure == null ? why : peerFailure.after(why);
  }

  /**
   * How long it took from giving up until GPU and machine went on, in nanoseconds; {@link #NOT_YET}
   * before. Any thread may ask.
   */
  long wentOnNs() {
    return wentOnNs;
  }

  /** Whether {@link #begin} was called since {@link #of}. */
  boolean isBegun() {
    return begun;
  }

  /**
   * Begins to take back what belongs to the phase: all but the GPU. What cannot be, because the
   * guest left or its machine ended, does not keep the rest from it.
   *
   * @param link to the destination, which is told why; null when it knows of nothing yet
   */
  void begin(@Nullable MigrationLink link) {
    begun = true;
    for (Phase.Undo undo : phase.undo()) {
      switch (undo) {
        case TELL_DESTINATION -> attempt(undo, () -> tell(link, why));
        case MACHINE -> attempt(undo, machine::abort);
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
    if (wentOnNs == NOT_YET && hasGoneOn()) {
      wentOnNs = nowNs - sinceNs;
    }
    return wentOnNs != NOT_YET && (peerFailure == null || peerFailure.isOver(nowNs));
  }

  private boolean hasGoneOn() {
    if (!machine.isSettled()) {
      return false;
    }
    if (!attached && phase.undo().contains(Phase.Undo.ATTACH)) {
      attached = true;
      attempt(Phase.Undo.ATTACH, () -> move.attachAll("migration given up"));
    }
    return !phase.undo().contains(Phase.Undo.MACHINE) || machine.hasGoneOn();
  }

  private void attempt(Phase.Undo undo, Runnable step) {
    try {
      step.run();
    } catch (SluiceException e) {
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("undo", undo)
          .log("could not be taken back", e);
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
