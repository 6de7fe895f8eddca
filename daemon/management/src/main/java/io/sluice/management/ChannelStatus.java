package io.sluice.management;

/**
 * A channel of a guest at one moment.
 *
 * @param id the guest's id of it
 * @param state {@code new running suspended draining detached dead}
 * @param error why it died, such as {@code page-fault}; empty while it lives
 * @param faultAddress GPU address of a fault, otherwise 0
 * @param drained nothing that was put is unfinished
 * @param waiting blocked on a semaphore acquire
 * @param entries ring entries taken since it started
 * @param busyNs GPU time used, nanoseconds
 * @param instructions warp instructions of grids that have ended, where the GPU counts them
 * @param interpreted those of them that a software GPU did not compile
 */
public record ChannelStatus(
    int id,
    String state,
    String error,
    long faultAddress,
    boolean drained,
    boolean waiting,
    long entries,
    long busyNs,
    long instructions,
    long interpreted) {}
