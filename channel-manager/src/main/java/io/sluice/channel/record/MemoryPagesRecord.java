package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.channel.state.GuestLimits;

/**
 * Pages of a registered buffer. A long list is several records.
 *
 * @param serial of the buffer
 * @param pages at most {@link #MAX_PAGES}
 */
public record MemoryPagesRecord(long serial, ImmutableList<PageRun> pages) implements StateRecord {
  /** Most ranges in one record. */
  public static final int MAX_PAGES = 32768;

  /**
   * A range of guest memory in a buffer.
   *
   * @param offset where in the buffer
   * @param iova bus address of the guest's memory
   * @param bytes length
   */
  public record PageRun(long offset, Iova iova, long bytes) {
    /** Refuses what no range is. */
    public PageRun {
      check(offset >= 0 && bytes > 0, "a range has a place and a length");
      check(
          ((offset | iova.value() | bytes) & (GuestLimits.PAGE_BYTES - 1)) == 0,
          "a range is whole pages");
    }
  }

  /** Refuses what no list is. */
  public MemoryPagesRecord {
    check(serial > 0, "a serial number is positive");
    check(!pages.isEmpty() && pages.size() <= MAX_PAGES, "a list has its length");
  }
}
