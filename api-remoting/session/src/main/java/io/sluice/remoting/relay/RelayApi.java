package io.sluice.remoting.relay;

import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateItem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The API of one session that lives on another host: what is called is sent there. */
final class RelayApi implements RemotedApi {
  private final RelayableApi api;
  private final RelayWire wire;
  private final SharedMemory memory;
  private final CallRanges ranges;
  private final PendingRanges pending;
  private volatile @Nullable RelayedCalls calls;
  private volatile boolean ending;

  RelayApi(
      RelayableApi api,
      RelayWire wire,
      SharedMemory memory,
      CallRanges ranges,
      PendingRanges pending) {
    this.api = api;
    this.wire = wire;
    this.memory = memory;
    this.ranges = ranges;
    this.pending = pending;
  }

  @Override
  public int number() {
    return api.number();
  }

  @Override
  public String name() {
    return api.name();
  }

  @Override
  public List<ObjectKind> kinds() {
    return api.kinds();
  }

  @Override
  public ApiSession open(SessionContext context) {
    RelayedCalls opened = new RelayedCalls(wire, memory, ranges, pending, context);
    calls = opened;
    return opened;
  }

  /** The session's calls, once it was opened. */
  RelayedCalls calls() {
    RelayedCalls opened = calls;
    if (opened == null) {
      throw new IllegalStateException("the session was not opened");
    }
    return opened;
  }

  /** What calls read and write, of a session of which nothing is known yet. */
  CallRanges freshRanges() {
    return api.ranges();
  }

  /** Whoever waits for the network does so no more. */
  @Override
  public void ending() {
    ending = true;
    wire.end();
  }

  /** Whether the session is at its end. */
  boolean isEnding() {
    return ending;
  }

  @Override
  public void registered(int segment, long bytes) {
    calls().registered(new StateItem.Segment(segment, bytes, List.of()));
  }
}
