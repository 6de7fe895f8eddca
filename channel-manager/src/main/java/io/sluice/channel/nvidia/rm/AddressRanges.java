package io.sluice.channel.nvidia.rm;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The addresses of a space that are taken. Ranges are half open, and never overlap. */
public final class AddressRanges {
  private final TreeMap<Long, Long> endByStart = new TreeMap<>();

  /** Takes a range that is free. */
  public void take(long start, long bytes) {
    if (!isFree(start, bytes)) {
      throw new AssertionError("taken, start=" + Long.toHexString(start) + " bytes=" + bytes);
    }
    endByStart.put(start, start + bytes);
  }

  public void giveBack(long start) {
    endByStart.remove(start);
  }

  private boolean isFree(long start, long bytes) {
    Map.Entry<Long, Long> before = endByStart.lowerEntry(start + bytes);
    return before == null || before.getValue() <= start;
  }

  /**
   * A free range.
   *
   * @param start lowest address allowed
   * @param end first address not allowed
   * @param alignment a power of two
   * @param highestFirst search from the top
   */
  public OptionalLong find(long start, long end, long bytes, long alignment, boolean highestFirst) {
    return highestFirst
        ? findHighest(start, end, bytes, alignment)
        : findLowest(start, end, bytes, alignment);
  }

  private OptionalLong findLowest(long start, long end, long bytes, long alignment) {
    long at = alignUp(start, alignment);
    while (at >= start && at <= end - bytes) {
      Map.Entry<Long, Long> blocking = endByStart.lowerEntry(at + bytes);
      if (blocking == null || blocking.getValue() <= at) {
        return OptionalLong.of(at);
      }
      at = alignUp(blocking.getValue(), alignment);
    }
    return OptionalLong.empty();
  }

  private OptionalLong findHighest(long start, long end, long bytes, long alignment) {
    long at = (end - bytes) & -alignment;
    while (at >= start) {
      Map.Entry<Long, Long> blocking = endByStart.lowerEntry(at + bytes);
      if (blocking == null || blocking.getValue() <= at) {
        return OptionalLong.of(at);
      }
      at = (blocking.getKey() - bytes) & -alignment;
    }
    return OptionalLong.empty();
  }

  private static long alignUp(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }
}
