package io.sluice.channel.nvidia.relay.ring;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A range of the host's pages that the GPU has mapped in one piece.
 *
 * @param base address at which the GPU has them
 */
public record HostRange(long base, MemorySegment memory) {
  /** What is at an address, if all of it is in the range. */
  public Optional<MemorySegment> at(long address, long bytes) {
    long from = address - base;
    return from >= 0 && bytes >= 0 && bytes <= memory.byteSize() - from
        ? Optional.of(memory.asSlice(from, bytes))
        : Optional.empty();
  }
}
