package io.sluice.channel.nvidia.relay.link;

import java.lang.foreign.MemorySegment;

/**
 * Pages that the GPU reaches and a program may map: mapped here, because RM pins the pages of the
 * process that asks. Nobody here reads or writes them, but for a semaphore that a program waits
 * for, and for what RM shares with all.
 */
public sealed interface HostPages extends MapBacking, AutoCloseable
    permits FilePages, MachinePages {
  /** How long they are. */
  default long bytes() {
    return segment().byteSize();
  }

  /** Where this process has them. */
  MemorySegment segment();

  @Override
  void close();
}
