package io.sluice.channel.nvidia.time;

import io.sluice.channel.nvidia.channel.OpenChannels;
import io.sluice.channel.nvidia.rm.OpenLock;

/**
 * A guest's part in the account of GPU time.
 *
 * @param lock guards its channels
 * @param channels what may use time
 * @param use what it is charged with
 * @param slices what its weight is worth
 */
public record GuestTime(OpenLock lock, OpenChannels channels, TimeUse use, GuestSlices slices) {}
