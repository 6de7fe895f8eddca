package io.sluice.channel.record;

/**
 * A part of a guest's state. A snapshot is a sequence of them: the guest, its memory, its address
 * spaces, their mappings, its channels, the end; what refers to something comes after it.
 *
 * <p>Records come from outside when they are read, so their constructors refuse values that no
 * guest can have. Whether the parts fit together is seen when a guest is made from them.
 */
public sealed interface StateRecord
    permits GuestRecord,
        MemoryRecord,
        MemoryPagesRecord,
        AddressSpaceRecord,
        MappingRecord,
        ChannelRecord,
        EndRecord {}
