package io.sluice.channel.guest;

import io.sluice.channel.Refusal;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.table.TransitionCounters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place that changes a channel's state: each change is checked against {@link
 * ChannelState#next}, logged, counted and told. Guarded by the guest's lock.
 */
final class ChannelTransitions {
  private static final Logger log = LoggerFactory.getLogger(ChannelTransitions.class);

  /** The observer, told after each change. */
  @FunctionalInterface
  interface Observer {
    void changed(ChannelState from, ChannelState to);
  }

  private final String guest;
  private final int channelId;
  private final TransitionCounters counters;
  private final Observer observer;
  private ChannelState state = ChannelState.NEW;

  ChannelTransitions(String guest, int channelId, TransitionCounters counters, Observer observer) {
    this.guest = guest;
    this.channelId = channelId;
    this.counters = counters;
    this.observer = observer;
  }

  ChannelState state() {
    return state;
  }

  /** EBUSY unless the state may be followed by the other: to be asked before the GPU acts. */
  void require(ChannelState next, String operation) {
    if (!state.canBecome(next)) {
      throw Refusal.busy(
          operation + " is not possible now, cid=" + channelId + " state=" + state, "");
    }
  }

  /**
   * Changes the state.
   *
   * @param reason what led to it, for the log
   * @throws AssertionError when the table has no such change: callers ask {@link #require} first
   */
  void transition(ChannelState next, String reason) {
    if (!state.canBecome(next)) {
      throw new AssertionError(
          "no such transition, cid=" + channelId + " from=" + state + " to=" + next);
    }
    ChannelState from = state;
    state = next;
    counters.count(from, next);
    log.atDebug()
        .addKeyValue("guest", guest)
        .addKeyValue("cid", channelId)
        .addKeyValue("from", from)
        .addKeyValue("to", next)
        .addKeyValue("reason", reason)
        .log("channel state");
    observer.changed(from, next);
  }
}
