package io.sluice.channel.nvidia;

/**
 * A guest's part in the account of GPU time.
 *
 * @param lock guards its channels
 * @param channels what may use time
 * @param use what it is charged with
 */
record GuestTime(OpenLock lock, OpenChannels channels, TimeUse use) {}
