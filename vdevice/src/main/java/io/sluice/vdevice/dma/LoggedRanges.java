package io.sluice.vdevice.dma;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pages of the bus that a client wants to be logged, by their numbers: ranges of which no two
 * touch, so that each look takes as many steps as their number has digits, whatever a client named.
 */
final class LoggedRanges {
  /** First page to last page. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** The taker of pages that follow one another. */
  interface PageSink {
    void pages(long first, long last);
  }

  /**
   * @param wanted none for all pages
   */
  LoggedRanges(List<DmaLog.LoggedRange> wanted) {
    if (wanted.isEmpty()) {
      ranges.put(0L, Long.MAX_VALUE);
    }
    wanted.forEach(range -> add(range.firstPage(), range.lastPage()));
  }

  private void add(long firstPage, long lastPage) {
    long first = firstPage;
    long last = lastPage;
    Map.Entry<Long, Long> other = ranges.floorEntry(last + 1);
    while (other != null && other.getValue() >= first - 1) {
      first = Math.min(first, other.getKey());
      last = Math.max(last, other.getValue());
      ranges.remove(other.getKey());
      other = ranges.floorEntry(last + 1);
    }
    ranges.put(first, last);
  }

  /** How many there are. */
  int count() {
    return ranges.size();
  }

  /** Those pages from one to another, both included, that are wanted. */
  void within(long first, long last, PageSink sink) {
    Map.Entry<Long, Long> range = ranges.floorEntry(first);
    if (range == null || range.getValue() < first) {
      range = ranges.higherEntry(first);
    }
    while (range != null && range.getKey() <= last) {
      sink.pages(Math.max(first, range.getKey()), Math.min(last, range.getValue()));
      range = ranges.higherEntry(range.getKey());
    }
  }
}
