package io.sluice.remoting.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ranges of the application's memory that calls on another host will write. Until their bytes
 * are here, what the application's memory has there is older than what the other host has.
 */
final class PendingRanges {
  /** Most ranges of calls that may be under way. */
  static final int MOST = 1 << 20;

  @GuardedBy("this")
  private final Map<Long, List<MemoryRange>> byCall = new HashMap<>();

  @GuardedBy("this")
  private int count; // of ranges

  /** A call will write ranges. */
  synchronized void add(long call, List<MemoryRange> ranges) {
    if (!ranges.isEmpty()) {
      if (count + ranges.size() > MOST) {
        throw new ProtocolException(Errno.ENOBUFS, "calls that write are too many under way");
      }
      byCall.put(call, List.copyOf(ranges));
      count += ranges.size();
    }
  }

  /** All that a call writes is here, or it writes nothing. */
  synchronized void remove(long call) {
    List<MemoryRange> removed = byCall.remove(call);
    count -= removed == null ? 0 : removed.size();
  }

  /** Whether a call may write a range. */
  synchronized boolean covers(long call, long place, long size) {
    for (MemoryRange range : byCall.getOrDefault(call, List.of())) {
      if (place >= range.place() && place - range.place() <= range.size() - size) {
        return true;
      }
    }
    return false;
  }

  /** The parts of a range that no call will write. */
  synchronized List<MemoryRange> without(MemoryRange wanted) {
    List<MemoryRange> parts = List.of(wanted);
    for (List<MemoryRange> ranges : byCall.values()) {
      for (MemoryRange range : ranges) {
        parts = without(parts, range);
      }
    }
    return parts;
  }

  private static List<MemoryRange> without(List<MemoryRange> parts, MemoryRange range) {
    long begin = range.place();
    long end = begin + range.size();
    if (parts.stream().noneMatch(p -> p.place() < end && begin < p.place() + p.size())) {
      return parts;
    }
    List<MemoryRange> left = new ArrayList<>();
    for (MemoryRange part : parts) {
      long partEnd = part.place() + part.size();
      if (part.place() < begin) {
        left.add(new MemoryRange(part.place(), Math.min(partEnd, begin) - part.place()));
      }
      if (partEnd > end) {
        long from = Math.max(part.place(), end);
        left.add(new MemoryRange(from, partEnd - from));
      }
    }
    return left;
  }
}
