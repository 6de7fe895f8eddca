package io.sluice.channel.nvidia.relay;

import io.sluice.channel.MemoryBudget;
import java.util.function.LongSupplier;

/**
 * The limits of a guest's programs, all of them together.
 *
 * @param programs most at once
 * @param video the guest's video memory, as far as they may have it
 * @param hostBytes most memory of the host that the GPU may reach, in bytes
 * @param heap of this process' heap, what the relay may remember of them
 */
public record RelayLimits(
    int programs, MemoryBudget video, LongSupplier hostBytes, MemoryBudget heap) {}
