package io.sluice.management;

/** A migration, as JMX shows it. */
@Description("A migration, as JMX shows it.")
public record MigrationStatusView(
    @Description("its name") String guest,
    @Description("identity of the attempt") String id,
    @Description("out or in") String direction,
    @Description("the other side") String peer,
    @Description("where it stands, such as pre-copy") String phase,
    @Description("why it was given up; empty when it was not") String reason,
    @Description("what to do about that") String remedy,
    @Description("video memory to move") long bytesTotal,
    @Description("video memory not yet looked at in this pass") long bytesLeft,
    @Description("the machine's own memory that is left; -1 unknown") long machineBytesLeft,
    @Description("sent on the link") long bytesSent,
    @Description("sent again after cuts") long bytesRetransmitted,
    @Description("rate of the link") long rateBytesPerSecond,
    @Description("number of the pass over video memory") int pass,
    @Description("pages sent in all passes") long pagesSent,
    @Description("pages sent while the GPU stood still") long pausePages,
    @Description("how long the drain is expected to take") long expectedDrainNs,
    @Description("how long the GPU has stood still, or stood") long gpuPausedNs,
    @Description("time since it began") long elapsedNs,
    @Description("whether it has ended") boolean over,
    @Description("whether the destination's word is needed and cannot be had") boolean undecided) {}
