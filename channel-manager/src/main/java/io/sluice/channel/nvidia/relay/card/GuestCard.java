package io.sluice.channel.nvidia.relay.card;

import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.time.GuestSlices;
import java.util.Set;

/**
 * The part of a card that a guest's programs have.
 *
 * @param port its nodes, and the driver's calls
 * @param copier copies programs' memory there
 * @param slices of its time
 * @param graphics RM's numbers of the guest's channels on its graphics engine
 * @param video the guest's memory there, as far as programs may have it
 */
public record GuestCard(
    RelayCard card,
    DriverPort port,
    ProgramCopier copier,
    GuestSlices slices,
    Set<Integer> graphics,
    MemoryBudget video) {}
