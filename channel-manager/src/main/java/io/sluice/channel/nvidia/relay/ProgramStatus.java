package io.sluice.channel.nvidia.relay;

import io.sluice.abi.sys.PeerCredentials;

/**
 * A program of a guest, as the relay sees it.
 *
 * @param number of the program, unique in the life of a relay
 * @param gpu the card that it is on
 * @param peer its process
 * @param calls ioctls it has asked for
 * @param refused those of them that the relay did not let through
 * @param files of the driver that it has open
 * @param channels it has
 * @param videoBytes video memory it has allocated
 * @param hostBytes the host's memory that the GPU may reach for it
 * @param evictedBytes those of it that are in place of video memory
 * @param state whether it has the card
 */
public record ProgramStatus(
    long number,
    String gpu,
    PeerCredentials peer,
    long calls,
    long refused,
    int files,
    int channels,
    long videoBytes,
    long hostBytes,
    long evictedBytes,
    ProgramState state) {}
