package io.sluice.channel.nvidia.relay;

import java.util.function.LongSupplier;

/**
 * The limits of a guest's programs, all of them together.
 *
 * @param programs most at once
 * @param videoBytes most video memory now, in bytes
 * @param hostBytes most memory of the host that the GPU may reach, in bytes
 */
public record RelayLimits(int programs, LongSupplier videoBytes, LongSupplier hostBytes) {}
