package io.sluice.management;

/**
 * A channel of a guest at one moment.
 *
 * @param id the guest's id of it
 * @param state {@code created running suspended detached dead}
 * @param error why it died; empty while it lives
 * @param faultAddress GPU address of a fault, otherwise 0
 * @param gpGet next ring entry to fetch
 * @param gpPut as last read
 * @param drained nothing that was put is unfinished
 * @param waiting blocked on a semaphore acquire
 * @param entries ring entries taken since it started
 * @param busyNs GPU time used, nanoseconds
 */
public record ChannelStatus(
    int id,
    String state,
    String error,
    long faultAddress,
    int gpGet,
    int gpPut,
    boolean drained,
    boolean waiting,
    long entries,
    long busyNs) {}
