package io.sluice.testbed.machine.move;

/**
 * When a fault is injected: a side of a migration has just entered a phase. Between them they are
 * all phases, in the order in which a migration that succeeds goes through them.
 */
public enum Moment {
  /** The source asks; the destination has made room. */
  PREPARE(false, "RECEIVING"),
  PRE_COPY(true, "PRE_COPY"),
  DETACH(true, "DETACH"),
  DRAIN(true, "DRAIN"),
  FINAL_COPY(true, "FINAL_COPY"),
  SWITCH_OVER(true, "SWITCH_OVER"),
  RESTORE(true, "RESTORE"),
  /** The destination has everything and begins to build. */
  TARGET_RESTORING(false, "RESTORING"),
  /** It has built the guest and told so: the source offers it, if it is quick. */
  TARGET_READY(false, "READY"),
  /** The source is about to give the guest away. */
  COMMIT(true, "COMMIT"),
  /** It has given it away; the destination has no record yet. */
  TARGET_COMMITTING(false, "COMMITTING"),
  /** The guest runs there; nobody has been told. */
  TARGET_RUNNING(false, "RUNNING"),
  DONE(true, "DONE");

  private final boolean atSource;
  private final String phase;

  Moment(boolean atSource, String phase) {
    this.atSource = atSource;
    this.phase = phase;
  }

  /** Whose phase it is. */
  public boolean atSource() {
    return atSource;
  }

  /** Its name, of {@code Phase} or {@code TargetPhase}. */
  public String phase() {
    return phase;
  }

  /** Whether the source can still give up by itself; at TARGET_READY it may be too late. */
  public boolean isBeforeCommit() {
    return compareTo(TARGET_READY) < 0;
  }

  /** Whether the guest is the destination's, durably. */
  public boolean isAfterRecord() {
    return compareTo(TARGET_RUNNING) >= 0;
  }
}
