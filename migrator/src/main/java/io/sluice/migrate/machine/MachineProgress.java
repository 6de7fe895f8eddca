package io.sluice.migrate.machine;

/**
 * The progress of one side of a machine's own migration.
 *
 * @param state see {@link State}
 * @param bytesTotal of its memory; 0 when unknown
 * @param bytesSent of its memory so far
 * @param bytesLeft of its memory, as of the last look; -1 when unknown
 * @param dirtyBytesPerSecond how fast the guest changes memory; -1 when unknown
 * @param failure what went wrong, with its remedy; empty unless {@link State#FAILED}
 */
public record MachineProgress(
    State state,
    long bytesTotal,
    long bytesSent,
    long bytesLeft,
    long dirtyBytesPerSecond,
    String failure) {
  /** States of a side, in the order in which they come. */
  public enum State {
    /** Nothing asked yet, or undone: on the source the machine runs. */
    IDLE,
    /** Its memory is being copied while it runs; on the destination, being received. */
    COPYING,
    /**
     * Source: its processors stand still, and its last pass waits for {@link
     * SourceMachine#switchOver}.
     */
    STOPPED,
    /** Its last pass runs. */
    SWITCHING,
    /** This side of the switch-over is complete; the machine stands still. */
    COMPLETED,
    /** The machine runs on the destination. */
    RUNNING,
    /**
     * It will not get further; the source's machine runs on, or {@link SourceMachine#abort} makes
     * it.
     */
    FAILED
  }

  /** Of a side that says nothing but its state. */
  public static MachineProgress of(State state) {
    return new MachineProgress(state, 0, 0, 0, 0, "");
  }
}
