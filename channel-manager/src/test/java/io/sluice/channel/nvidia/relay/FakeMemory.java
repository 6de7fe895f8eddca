package io.sluice.channel.nvidia.relay;

import java.lang.foreign.MemorySegment;

/** Memory of a driver in memory, whatever names it has, with what is in it. */
final class FakeMemory {
  final boolean video;
  int word;
  MemorySegment pages = MemorySegment.NULL;

  FakeMemory(boolean video) {
    this.video = video;
  }
}
