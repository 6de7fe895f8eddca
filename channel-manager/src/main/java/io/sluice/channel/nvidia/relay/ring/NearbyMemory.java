package io.sluice.channel.nvidia.relay.ring;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The memory that a channel reads, for one look at it: what is asked for next is mostly in the
 * range of what was asked for last.
 */
public final class NearbyMemory implements RingFollower.ReadableMemory {
  private final RangeSource source;
  private Optional<HostRange> last = Optional.empty();

  /** The ranges of all memory. */
  public interface RangeSource {
    /** The range that has all of some addresses of the GPU, if it is pages of the host's. */
    Optional<HostRange> rangeOf(long address, long bytes);
  }

  public NearbyMemory(RangeSource source) {
    this.source = source;
  }

  @Override
  public Optional<MemorySegment> at(long address, long bytes) {
    Optional<MemorySegment> near = last.flatMap(range -> range.at(address, bytes));
    if (near.isPresent()) {
      return near;
    }
    last = source.rangeOf(address, bytes);
    return last.flatMap(range -> range.at(address, bytes));
  }
}
