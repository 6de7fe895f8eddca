package io.sluice.migrate.engine;

import io.sluice.migrate.machine.MovedSessions;

/**
 * Figures that are each of one moment of a migration.
 *
 * @param detach as access was taken back
 * @param stop as the machine stood still
 * @param saving as all was sent
 * @param sessions that move with the machine
 */
public record MigrationFigures(
    DetachFigures detach, StopFigures stop, SavingFigures saving, MovedSessions sessions) {
  /** Before all of these moments. */
  public static final MigrationFigures NONE =
      new MigrationFigures(
          new DetachFigures(0, 0, 0, 0, 0),
          new StopFigures(0, 0, 0, 0, 0, false, 0, 0),
          new SavingFigures(0, 0, 0),
          MovedSessions.NONE);

  /**
   * Figures of the moment when access was taken back.
   *
   * @param leftBytes that were yet to be copied
   * @param expectedDrainNs how long the GPU was expected to work on
   * @param channels that were detached
   * @param running of them, those of which a command ran
   * @param pendingEntries of their rings that were not done with
   */
  public record DetachFigures(
      long leftBytes, long expectedDrainNs, int channels, int running, long pendingEntries) {}

  /**
   * Figures of the moment when the machine stood still and its GPU was drained.
   *
   * @param idleNs for which the GPU had had nothing to do
   * @param settleNs how much of it went by until the machine was allowed to stop
   * @param stoodNs for which the machine had stood before its last pass over video memory
   * @param drainPages of video memory, most that were sent in a pass during the drain
   * @param settledPages of video memory, sent in the pass between drain and stop
   * @param touchedByGuest whether the guest itself wrote to all pages that its GPU may have written
   * @param parked channels that move with a wait
   * @param ended channels that were ended because their work did not
   */
  public record StopFigures(
      long idleNs,
      long settleNs,
      long stoodNs,
      long drainPages,
      long settledPages,
      boolean touchedByGuest,
      int parked,
      int ended) {}

  /**
   * Figures of the time in which the machine stood still.
   *
   * @param deviceNs until its device was held and saved
   * @param redirtyNs until what the GPU wrote of its memory was made dirty
   * @param machineBytesLeft of its memory, for its own last pass; -1 unknown
   */
  public record SavingFigures(long deviceNs, long redirtyNs, long machineBytesLeft) {}

  MigrationFigures with(DetachFigures newDetach) {
    return new MigrationFigures(newDetach, stop, saving, sessions);
  }

  MigrationFigures with(StopFigures newStop) {
    return new MigrationFigures(detach, newStop, saving, sessions);
  }

  MigrationFigures with(SavingFigures newSaving, MovedSessions newSessions) {
    return new MigrationFigures(detach, stop, newSaving, newSessions);
  }
}
