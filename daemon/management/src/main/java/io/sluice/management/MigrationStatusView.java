package io.sluice.management;

/** A migration, a checkpoint or a restore, as JMX shows it. */
@Description("A migration, a checkpoint or a restore, as JMX shows it.")
public record MigrationStatusView(
    @Description("its name") String guest,
    @Description("identity of the attempt") String id,
    @Description("migration, checkpoint or restore") String kind,
    @Description("out or in") String direction,
    @Description("the other side; of a file, file: and its path") String peer,
    @Description("where it stands, such as pre-copy; in the end done, running, aborted or failed")
        String phase,
    @Description("why it was given up; empty when it was not") String reason,
    @Description("what to do about that") String remedy,
    @Description("to move: video memory and the machine's own") long bytesTotal,
    @Description("sent, the machine's own memory included") long bytesSent,
    @Description("left of this pass, the machine's own memory included") long bytesLeft,
    @Description("of all, the machine's own memory; 0 unknown") long machineBytesTotal,
    @Description("of what was sent, the machine's own memory") long machineBytesSent,
    @Description("of what is left, the machine's own memory; -1 unknown") long machineBytesLeft,
    @Description("sent again after cuts") long bytesRetransmitted,
    @Description("rate of all that is sent") long rateBytesPerSecond,
    @Description("number of the pass over video memory") int pass,
    @Description("pages sent in all passes") long pagesSent,
    @Description("pages sent while the GPU stood still") long pausePages,
    @Description("how long the drain is expected to take") long expectedDrainNs,
    @Description("how long the machine has stood still; 0 of a process") long machinePausedNs,
    @Description("how long the guest's GPU has stood still") long gpuPausedNs,
    @Description("time since it began") long elapsedNs,
    @Description("whether it has ended") boolean over,
    @Description("whether the destination's word is needed and cannot be had") boolean undecided) {
  /** A guest that moves to another daemon, or comes from one. */
  public static final String MIGRATION = "migration";

  /** A guest that is written to a file, and goes on. */
  public static final String CHECKPOINT = "checkpoint";

  /** A guest that is made of a file. */
  public static final String RESTORE = "restore";

  /** The phase of what has come about: of a migration at the side that the guest left. */
  public static final String DONE = "done";

  /** The phase of a checkpoint or restore that has come to nothing. */
  public static final String FAILED = "failed";
}
