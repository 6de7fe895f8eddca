package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableList;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import java.util.Optional;
import java.util.UUID;

/**
 * A migration as an operator sees it; a snapshot.
 *
 * @param id of the attempt
 * @param guest its name
 * @param phase where the source stands
 * @param phases every change so far
 * @param reason why it was given up
 * @param bytesTotal video memory to move; what the machine has of its own is in {@code machine}
 * @param bytesLeft not yet looked at in this pass
 * @param pass over video memory
 * @param pagesSent in all passes
 * @param lastPassPages sent in the last pass, during the pause
 * @param pagesHashed compared as a whole
 * @param pagesSampledAway found by a sample
 * @param guestPagesRedirtied ranges of guest memory the GPU wrote, in bytes
 * @param rateBytesPerSecond of the link
 * @param expectedDrainNs how long the drain is expected to take
 * @param link what it carried
 * @param machine its own memory
 * @param agreedVersion of the protocol; 0 before the destination has answered
 * @param wentOnNs from giving up until GPU and machine went on here, in nanoseconds; -1 before
 * @param figures of moments of it
 * @param atNs when this was
 */
public record MigrationStatus(
    UUID id,
    String guest,
    Phase phase,
    ImmutableList<PhaseLog.Entry<Phase>> phases,
    Optional<Reason> reason,
    long bytesTotal,
    long bytesLeft,
    int pass,
    long pagesSent,
    long lastPassPages,
    long pagesHashed,
    long pagesSampledAway,
    long guestPagesRedirtied,
    long rateBytesPerSecond,
    long expectedDrainNs,
    MigrationLink.Statistics link,
    MachineBytes machine,
    int agreedVersion,
    long wentOnNs,
    MigrationFigures figures,
    long atNs) {
  /**
   * The machine's own memory, which it copies by itself.
   *
   * @param stands whether the machine stands still during the last pass; a process does not
   * @param apart whether it goes beside the link, which does not count it then
   * @param totalBytes of it; 0 unknown
   * @param sentBytes that have arrived, or were sent where that is not known
   * @param leftBytes as of the last look; -1 unknown
   */
  public record MachineBytes(
      boolean stands, boolean apart, long totalBytes, long sentBytes, long leftBytes) {
    static MachineBytes of(SourceMachine machine, boolean apart) {
      MachineProgress progress = machine.progress();
      return new MachineBytes(
          machine.standsStill(),
          apart,
          progress.bytesTotal(),
          progress.bytesSent(),
          progress.bytesLeft());
    }
  }

  /** All that there is to move: video memory, and the machine's own. */
  public long allBytesTotal() {
    return bytesTotal + machine.totalBytes();
  }

  /** All that was sent, the machine's own memory included. */
  public long allBytesSent() {
    return link.bytesSent() + (machine.apart() ? machine.sentBytes() : 0);
  }

  /** Of the machine's own memory, what is left; 0 once its last pass is through, -1 unknown. */
  public long machineBytesLeft() {
    return switch (phase) {
      case RESTORE, COMMIT, DONE -> 0;
      case PREPARE, PRE_COPY, DETACH, DRAIN, FINAL_COPY, SWITCH_OVER, ABORTING, ABORTED ->
          machine.leftBytes();
    };
  }

  /** All that is left of this pass, the machine's own memory included as far as it is known. */
  public long allBytesLeft() {
    return bytesLeft + Math.max(0, machineBytesLeft());
  }
}
