package io.sluice.channel.nvidia.relay.link;

import java.lang.foreign.MemorySegment;

/** Pages in a segment of a machine's memory. */
final class MachinePages implements HostPages {
  private final SegmentSpace.SpaceRange place;
  private final MemorySegment memory;
  private final Runnable released;
  private boolean open = true;

  MachinePages(SegmentSpace.SpaceRange place, MemorySegment memory, Runnable released) {
    this.place = place;
    this.memory = memory;
    this.released = released;
  }

  SegmentSpace.SpaceRange place() {
    return place;
  }

  @Override
  public MemorySegment segment() {
    return memory;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      released.run();
    }
  }
}
