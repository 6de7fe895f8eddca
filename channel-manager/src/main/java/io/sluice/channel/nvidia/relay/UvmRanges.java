package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The address ranges that a program takes for UVM's own, and that are pages of ours instead: its
 * semaphores and its managed memory.
 */
final class UvmRanges {
  /** Most of them. */
  static final int MAX_RANGES = 4096;

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

  private final TreeMap<Long, BackedRange> ranges = new TreeMap<>();

  /** The range that an address lies in. */
  Optional<BackedRange> at(long address) {
    return Optional.ofNullable(ranges.floorEntry(address))
        .map(Map.Entry::getValue)
        .filter(range -> range.has(address));
  }

  /**
   * Whether there is room for one more.
   *
   * @throws RefusedException SLU-RLY-002
   */
  void requireRoom() {
    if (ranges.size() >= MAX_RANGES) {
      throw new RefusedException(
          RelayCode.TOO_MANY, Errno.ENOMEM, "too many ranges of UVM, most=" + MAX_RANGES, "");
    }
  }

  void add(BackedRange range) {
    ranges.put(range.base(), range);
  }

  void remove(BackedRange range) {
    ranges.remove(range.base());
  }

  /** Forgets all: what there was. */
  List<BackedRange> removeAll() {
    List<BackedRange> all = List.copyOf(ranges.values());
    ranges.clear();
    return all;
  }
}
