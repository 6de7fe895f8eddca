package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.sluice.abi.Iova;
import io.sluice.vdevice.dma.GuestRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A session that moves with its machine.
 *
 * @param handle by which the guest knows it
 * @param api SLUICE_API_*
 * @param segments ranges of guest memory, by index
 */
public record CarriedSession(
    int handle,
    int api,
    ImmutableMap<Integer, ImmutableList<GuestRange>> segments,
    ApiSessions.Opened session) {
  /**
   * Where pages of the session are in guest memory; those that are none of its are nowhere. A host
   * may name the same pages as often as it likes: they are found once.
   */
  public List<GuestRange> locate(Collection<ApiSessions.WrittenPages> pages) {
    Map<Integer, List<ApiSessions.WrittenPages>> bySegment =
        pages.stream().collect(Collectors.groupingBy(ApiSessions.WrittenPages::index));
    List<GuestRange> found = new ArrayList<>();
    bySegment.forEach((index, named) -> {
      ImmutableList<GuestRange> segment = segments.getOrDefault(index, ImmutableList.of());
      named.sort(Comparator.comparingLong(ApiSessions.WrittenPages::offset));
      long done = 0;
      for (int i = 0; i < named.size(); ) {
        long from = Math.max(done, named.get(i).offset());
        long to = from;
        while (i < named.size() && named.get(i).offset() <= to) {
          to = Math.max(to, named.get(i).offset() + named.get(i).bytes());
          i++;
        }
        locate(segment, from, to, found);
        done = to;
      }
    });
    return found;
  }

  private static void locate(List<GuestRange> segment, long from, long to, List<GuestRange> found) {
    long begin = 0; // of a range in the segment
    for (GuestRange range : segment) {
      long first = Math.max(from, begin);
      long last = Math.min(to, begin + range.bytes());
      if (first < last) {
        found.add(new GuestRange(new Iova(range.address().value() + first - begin), last - first));
      }
      begin += range.bytes();
    }
  }
}
