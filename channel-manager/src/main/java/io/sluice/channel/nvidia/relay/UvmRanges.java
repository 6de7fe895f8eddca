package io.sluice.channel.nvidia.relay;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The address ranges that a program takes for UVM's own, and that are pages of ours instead: its
 * semaphores and its managed memory.
 */
final class UvmRanges {
  /**
   * A range.
   *
   * @param base its address, for processor and GPU
   * @param memory what is there
   */
  record BackedRange(long base, RmObject memory) {
    boolean has(long address) {
      return Long.compareUnsigned(address - base, memory.sizeBytes()) < 0;
    }
  }

  private final UvmSpace.Counts counts;
  private final TreeMap<Long, BackedRange> ranges = new TreeMap<>();

  UvmRanges(UvmSpace.Counts counts) {
    this.counts = counts;
  }

  /** The range that an address lies in. */
  Optional<BackedRange> at(long address) {
    return Optional.ofNullable(ranges.floorEntry(address))
        .map(Map.Entry::getValue)
        .filter(range -> range.has(address));
  }

  /** All of them. */
  List<BackedRange> all() {
    return List.copyOf(ranges.values());
  }

  void add(BackedRange range) {
    if (ranges.put(range.base(), range) == null) {
      counts.addRange();
    }
  }

  void remove(BackedRange range) {
    if (ranges.remove(range.base()) != null) {
      counts.removeRanges(1);
    }
  }

  /** Forgets all: what there was. */
  List<BackedRange> removeAll() {
    List<BackedRange> all = List.copyOf(ranges.values());
    counts.removeRanges(all.size());
    ranges.clear();
    return all;
  }
}
