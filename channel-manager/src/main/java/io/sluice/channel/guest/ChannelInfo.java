package io.sluice.channel.guest;

import io.sluice.channel.state.ChannelState;

/**
 * A channel as its guest, an operator and the watchdog see it.
 *
 * @param channelId the guest's id of it, also the index of its control page
 * @param state where it stands in its life
 * @param reason SLUICE_ERROR_*, 0 while it lives
 * @param info detail of the reason
 * @param address address of a fault
 * @param entries ring entries taken since it started
 * @param interrupts interrupts it asked for, those that count as one included
 * @param busyNs GPU time used
 * @param runningNs how long the running command has run; 0 when none does
 * @param drained nothing that was put is unfinished
 * @param waiting blocked on a semaphore acquire
 * @param instructions warp instructions of grids that have ended, where the backend counts them
 * @param interpreted those of them that a software GPU did not compile
 */
public record ChannelInfo(
    int channelId,
    ChannelState state,
    int reason,
    int info,
    long address,
    long entries,
    long interrupts,
    long busyNs,
    long runningNs,
    boolean drained,
    boolean waiting,
    long instructions,
    long interpreted) {}
