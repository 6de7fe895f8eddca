package io.sluice.channel.nvidia.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.Map;

/**
 * Weights of guests as time slices. RM gives each channel group that wants an engine its slice in
 * turn, so that the time a guest has there is in proportion to the sum of its slices: that is its
 * weight times a unit that is the same for all guests of the card.
 *
 * <p>The guest with the least weight has what RM gives a group of which nobody has said anything,
 * unless another one's slice would be longer than {@link #LONGEST_NS} then: nobody shall wait that
 * long for a turn. Any thread.
 */
public final class TimeSlices {
  /** What RM gives a group. */
  static final long USUAL_NS = 1_024_000;

  /** Longest slice of a guest with one channel on an engine. */
  static final long LONGEST_NS = 16 * USUAL_NS;

  /** Shortest slice: switching takes some microseconds itself. */
  static final long SHORTEST_US = 64;

  private static final int NS_PER_US = 1000;

  @GuardedBy("this")
  private final Map<String, Joined> joined = new HashMap<>();

  @GuardedBy("this")
  private final Map<GuestSlices, Integer> weights = new HashMap<>();

  private volatile long unitNs = USUAL_NS;

  private record Joined(GuestSlices slices, int holders) {}

  /** The slices of a guest, which its open and its programs have together. */
  public synchronized GuestSlices join(String guest) {
    Joined now = joined.getOrDefault(guest, new Joined(new GuestSlices(this), 0));
    joined.put(guest, new Joined(now.slices(), now.holders() + 1));
    return now.slices();
  }

  /** One of those who joined leaves; the guest's weight counts as long as there is another. */
  public synchronized void leave(String guest) {
    Joined now = joined.remove(guest);
    if (now == null) {
      return;
    }
    if (now.holders() > 1) {
      joined.put(guest, new Joined(now.slices(), now.holders() - 1));
    } else {
      weights.remove(now.slices());
      compute();
    }
  }

  synchronized void set(GuestSlices guest, int weight) {
    if (joined.values().stream().anyMatch(each -> each.slices() == guest)) {
      weights.put(guest, weight);
      compute();
    }
  }

  @GuardedBy("this")
  private void compute() {
    IntSummaryStatistics all =
        weights.values().stream().mapToInt(Integer::intValue).summaryStatistics();
    unitNs =
        all.getCount() == 0
            ? USUAL_NS
            : Math.min(USUAL_NS / all.getMin(), LONGEST_NS / all.getMax());
  }

  /** Nanoseconds for each unit of weight; another number when slices are to be set anew. */
  long unitNs() {
    return unitNs;
  }

  /**
   * The slice of one channel.
   *
   * @param unitNs from {@link #unitNs}
   * @param weight of its guest
   * @param part its part of what the guest has on its engine
   * @param whole of which
   */
  static long microseconds(long unitNs, int weight, int part, int whole) {
    return Math.max(SHORTEST_US, unitNs * weight * part / whole / NS_PER_US);
  }
}
