package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.sluice.abi.Iova;
import io.sluice.vdevice.dma.GuestRange;
import java.util.ArrayList;
import java.util.List;

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
  /** Where pages of the session are in guest memory; those that are none of its are nowhere. */
  public List<GuestRange> locate(ApiSessions.WrittenPages pages) {
    List<GuestRange> found = new ArrayList<>();
    long to = pages.offset() + pages.bytes();
    long begin = 0; // of a range in the segment
    for (GuestRange range : segments.getOrDefault(pages.index(), ImmutableList.of())) {
      long first = Math.max(pages.offset(), begin);
      long last = Math.min(to, begin + range.bytes());
      if (first < last) {
        found.add(new GuestRange(new Iova(range.address().value() + first - begin), last - first));
      }
      begin += range.bytes();
    }
    return found;
  }
}
