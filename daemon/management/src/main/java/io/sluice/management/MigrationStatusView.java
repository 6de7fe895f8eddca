package io.sluice.management;

/**
 * A migration, as JMX shows it.
 *
 * @param guest its name
 * @param id of the attempt
 * @param direction {@code out} or {@code in}
 * @param peer the other side
 * @param phase where it stands, such as {@code pre-copy}
 * @param reason why it was given up; empty when it was not
 * @param remedy what to do about that
 * @param bytesTotal video memory to move
 * @param bytesLeft not yet looked at in this pass
 * @param machineBytesLeft of the machine's own memory; -1 unknown
 * @param bytesSent on the link
 * @param bytesRetransmitted after cuts
 * @param rateBytesPerSecond of the link
 * @param pass over video memory
 * @param pagesSent in all passes
 * @param pausePages pages sent while the GPU stood still
 * @param expectedDrainNs how long the drain is expected to take
 * @param gpuPausedNs how long the GPU has stood still, or stood
 * @param elapsedNs since it began
 * @param over whether it has ended
 * @param undecided whether the destination's word is needed and cannot be had
 */
public record MigrationStatusView(
    String guest,
    String id,
    String direction,
    String peer,
    String phase,
    String reason,
    String remedy,
    long bytesTotal,
    long bytesLeft,
    long machineBytesLeft,
    long bytesSent,
    long bytesRetransmitted,
    long rateBytesPerSecond,
    int pass,
    long pagesSent,
    long pausePages,
    long expectedDrainNs,
    long gpuPausedNs,
    long elapsedNs,
    boolean over,
    boolean undecided) {}
