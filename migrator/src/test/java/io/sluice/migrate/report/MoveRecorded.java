package io.sluice.migrate.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.MovedSessions;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A move as one of a machine of 512 MiB went, of which a test says what came when. */
final class MoveRecorded {
  static final long MIB = 1 << 20;
  static final long MS = 1_000_000;
  private static final long START_NS = 77 * MS;

  final MigrationReport report =
      new MigrationReport(
          START_NS,
          new MoveContext(
              "kvm-a",
              "kvm-b:7443",
              "0.1.0",
              "QEMU 11.1.2",
              "gf100",
              ImmutableSortedMap.of("bandwidth", "100MiB"),
              Instant.parse("2026-11-26T04:10:11Z")));
  private final List<PhaseLog.Entry<Phase>> phases = new ArrayList<>();
  private Phase phase = Phase.PREPARE;
  private MigrationFigures figures = MigrationFigures.NONE;
  private Optional<Reason> reason = Optional.empty();
  private final boolean stands;
  private boolean apart = true;
  private long wentOnNs = -1;

  /**
   * @param stands whether it is of a machine; else of a process
   */
  MoveRecorded(boolean stands) {
    this.stands = stands;
    phases.add(new PhaseLog.Entry<>(Phase.PREPARE, START_NS, "asked for"));
  }

  /** Into a file, whose bytes are counted by the link. */
  MoveRecorded intoFile() {
    apart = false;
    return this;
  }

  void enter(Phase next, long atMs, String why) {
    phase = next;
    phases.add(new PhaseLog.Entry<>(next, START_NS + atMs * MS, why));
  }

  /** As the GPU was drained and the machine stood still. */
  void stopped(long idleMs, long stoodMs) {
    figures =
        new MigrationFigures(
            new MigrationFigures.DetachFigures(2 * MIB, 3 * MS, 2, 1, 5),
            new MigrationFigures.StopFigures(idleMs * MS, 0, stoodMs * MS, 0, 0, true, 0, 0),
            new MigrationFigures.SavingFigures(MS, MS, 4096),
            MovedSessions.NONE);
  }

  void givenUp(Reason why, long goneOnMs) {
    reason = Optional.of(why);
    wentOnNs = goneOnMs * MS;
  }

  /** A look, with so much of the machine's memory sent and left, and a tenth of video memory. */
  void look(long atMs, long sentMib, long leftMib) {
    report.observe(status(atMs, sentMib, leftMib));
  }

  MigrationStatus status(long atMs, long sentMib, long leftMib) {
    long video = sentMib * MIB / 10;
    return new MigrationStatus(
        new UUID(0x5f2c, 7),
        "web-01",
        phase,
        ImmutableList.copyOf(phases),
        reason,
        64 * MIB,
        leftMib * MIB / 10,
        1,
        video / 4096,
        3,
        0,
        0,
        0,
        100 * MIB,
        3 * MS,
        new MigrationLink.Statistics(video, 0, 0, 0, 0, 0),
        new MigrationStatus.MachineBytes(
            stands,
            apart,
            stands ? 512 * MIB : 0,
            stands ? sentMib * MIB : 0,
            stands ? leftMib * MIB : 0),
        1,
        wentOnNs,
        figures,
        START_NS + atMs * MS);
  }

  private static MoveRecorded inThePause() {
    MoveRecorded move = new MoveRecorded(true);
    move.look(0, 0, 512);
    move.enter(Phase.PRE_COPY, 90, "the destination is ready");
    for (int at = 100; at < 5000; at += 20) {
      move.look(at, at / 10, Math.max(3, 512 - at / 10));
    }
    move.enter(Phase.DETACH, 5000, "little is left");
    move.enter(Phase.DRAIN, 5001, "access is taken back");
    move.look(5010, 500, 2);
    move.stopped(17, 5);
    move.enter(Phase.FINAL_COPY, 5040, "the GPU has drained, and the machine stands");
    move.look(5041, 500, 1);
    return move;
  }

  /** One that went well: 5 s of copying, a pause of 60 ms, of which the machine stood 48. */
  static MoveRecorded done() {
    MoveRecorded move = inThePause();
    move.enter(Phase.SWITCH_OVER, 5050, "all is sent");
    move.look(5052, 501, 1);
    move.enter(Phase.RESTORE, 5070, "the machine's memory is there");
    move.enter(Phase.COMMIT, 5080, "the destination has all");
    move.enter(Phase.DONE, 5083, "it runs at the destination");
    move.look(5083, 512, 1);
    return move;
  }

  /** One whose link ended in the pause: it went on here 50 ms after. */
  static MoveRecorded failed() {
    MoveRecorded move = inThePause();
    move.enter(Phase.ABORTING, 5260, "the link ended");
    move.givenUp(
        new Reason("SLU-NET-003", "the link ended", "Look at the network between the hosts."), 50);
    move.enter(Phase.ABORTED, 5311, "it goes on here");
    move.look(5311, 501, 1);
    return move;
  }
}
