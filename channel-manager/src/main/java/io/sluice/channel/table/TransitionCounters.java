package io.sluice.channel.table;

import io.sluice.channel.state.ChannelState;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts of how often channels of a guest went from one state to another. Any thread may read. */
public final class TransitionCounters {
  private static final int STATES = ChannelState.values().length;

  private final AtomicLongArray counts = new AtomicLongArray(STATES * STATES);

  public void count(ChannelState from, ChannelState to) {
    counts.incrementAndGet(from.ordinal() * STATES + to.ordinal());
  }

  public long get(ChannelState from, ChannelState to) {
    return counts.get(from.ordinal() * STATES + to.ordinal());
  }

  /** How often a state was entered. */
  public long entered(ChannelState state) {
    long sum = 0;
    for (ChannelState from : ChannelState.values()) {
      sum += get(from, state);
    }
    return sum;
  }
}
