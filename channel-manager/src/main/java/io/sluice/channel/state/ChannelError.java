package io.sluice.channel.state;

/**
 * The error that ended a channel.
 *
 * @param channelId the guest's id of the channel
 * @param reason SLUICE_ERROR_*, never 0
 * @param info detail of the reason
 * @param address address of a fault, otherwise 0
 * @param timeNs GPU time
 */
public record ChannelError(int channelId, int reason, int info, long address, long timeNs) {}
