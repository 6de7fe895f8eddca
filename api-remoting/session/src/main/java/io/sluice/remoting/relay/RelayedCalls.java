package io.sluice.remoting.relay;

import io.sluice.abi.Errno;
import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.CallReader;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.SessionContext;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The calls of a session that lives on another host: each is sent there with the bytes that it
 * reads, and nobody waits for the network but who waits for an answer. By the session's thread, but
 * for what says otherwise.
 */
final class RelayedCalls implements ApiSession {
  /** Most that the other host may have said and nobody has taken. */
  private static final int MOST_HEARD = 1 << 17;

  /** Bytes of the application's memory that go in one frame. */
  private static final int PIECE_BYTES = 256 << 10;

  private final RelayWire wire;
  private final SharedMemory memory;
  private final CallRanges ranges;
  private final PendingRanges pending;
  private final SessionContext context;
  private final Map<Long, Answer> waiting = new HashMap<>();
  private final BlockingQueue<StateItem> heard = new LinkedBlockingQueue<>(MOST_HEARD);
  private final Queue<StateItem.Segment> registered = new ConcurrentLinkedQueue<>();
  private long sent;
  private boolean unsent;

  RelayedCalls(
      RelayWire wire,
      SharedMemory memory,
      CallRanges ranges,
      PendingRanges pending,
      SessionContext context) {
    this.wire = wire;
    this.memory = memory;
    this.ranges = ranges;
    this.pending = pending;
    this.context = context;
  }

  /** A call that another host had taken, whose answer is still to come. */
  void expect(long serial, Answer answer) {
    if (answer.isWaitedFor()) {
      waiting.put(-serial, answer);
    }
  }

  /** The application has more memory, which the next call may name; from any thread. */
  void registered(StateItem.Segment segment) {
    registered.add(segment);
  }

  /** The other host has been told of segments. */
  void forgetRegistered(Set<Integer> segments) {
    registered.removeIf(segment -> segments.contains(segment.index()));
  }

  /** The other host has said something; from its thread. */
  void hear(StateItem item) throws StateException {
    if (!heard.offer(item)) {
      throw new StateException("the other session host says too much");
    }
    context.wake();
  }

  @Override
  public void execute(int number, CallReader in, Answer answer) {
    byte[] message = in.message();
    CallRanges.NamedRanges named = ranges.of(number, message);
    for (MemoryRange range : named.written()) {
      MemorySegment _ = memory.named(range.place(), range.size());
    }
    long call = ++sent;
    if (answer.isWaitedFor()) {
      waiting.put(call, answer);
    }
    try {
      wire.write(link -> {
        for (var more = registered.poll(); more != null; more = registered.poll()) {
          link.write(more);
        }
        for (MemoryRange range : named.read()) {
          write(range, memory, pending, link);
        }
        pending.add(call, named.written()); // before anybody can answer
        link.write(new StateItem.Sent(call, named.written(), message));
      });
    } catch (StateException _) {
      return; // who reads the stream knows, too
    }
    unsent = true;
  }

  /** Writes bytes of the application's memory, but for those that are older than the other's. */
  static void write(MemoryRange range, SharedMemory memory, PendingRanges pending, StateLink link)
      throws StateException {
    MemorySegment _ = memory.slice(range.place(), range.size());
    for (MemoryRange part : pending.without(range)) {
      for (long at = 0; at < part.size(); at += PIECE_BYTES) {
        long bytes = Math.min(PIECE_BYTES, part.size() - at);
        MemorySegment piece = memory.slice(part.place() + at, bytes);
        link.write(new StateItem.Bytes(0, part.place() + at, piece.toArray(ValueLayout.JAVA_BYTE)));
      }
    }
  }

  @Override
  public int poll() {
    int count = 0;
    for (StateItem item = heard.poll(); item != null; item = heard.poll()) {
      count++;
      switch (item) {
        case StateItem.Answered answered -> answer(answered);
        case StateItem.Notice notice ->
            context.notices().tell(notice.kind(), notice.status(), notice.index());
        default -> throw new IllegalStateException("nothing for the application, item=" + item);
      }
    }
    flush();
    return count;
  }

  private void answer(StateItem.Answered answered) {
    Answer answer = waiting.remove(answered.call());
    if (answer == null) {
      throw new ProtocolException(Errno.EPROTO, "an answer to nothing, call=" + answered.call());
    }
    answer.give(answered.status(), answered.values().stream().mapToLong(Long::longValue).toArray());
  }

  /** Sends what waits. */
  void flush() {
    if (unsent) {
      unsent = false;
      try {
        wire.flush();
      } catch (StateException _) {
        // who reads the stream knows, too
      }
    }
  }

  @Override
  public boolean arm() {
    flush();
    return heard.isEmpty();
  }

  @Override
  public boolean isWaiting() {
    return false;
  }

  @Override
  public int statusOfMissing(ObjectKind kind) {
    throw new IllegalStateException("no objects are here, kind=" + kind);
  }

  /** Those who wait find the session at its end, or are answered by another. */
  @Override
  public void close() {
    waiting.clear();
  }
}
