package io.sluice.remoting.relay;

import io.sluice.remoting.session.Answer;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/**
 * The answers to calls of an application on another host. Each goes behind the bytes that the call
 * has written, and behind those of commands that have come to their end by then: the application
 * may conclude that they have. Belongs to the session's thread, but for {@link #expect}.
 */
final class MirrorAnswers implements SessionPort.Answers {
  /** Most ranges of calls that a state has as open. */
  private static final int MOST_OPEN = 1 << 18;

  private final MirrorCalls calls;
  private final MirrorOutbox outbox;
  private final Map<Long, List<MemoryRange>> open = new ConcurrentHashMap<>();
  private int openRanges; // that ever were, as calls are open only when the state comes
  private Runnable settle = () -> {};

  MirrorAnswers(MirrorCalls calls, MirrorOutbox outbox) {
    this.calls = calls;
    this.outbox = outbox;
  }

  /** Names what has those hear who wait for bytes that are there. */
  void settleBy(Runnable how) {
    settle = how;
  }

  /** A call that the state has as open will write ranges; before it is executed again. */
  void expect(long serial, List<MemoryRange> written) throws StateException {
    openRanges += written.size();
    if (openRanges > MOST_OPEN) {
      throw new StateException("open calls write too many ranges, is=" + openRanges);
    }
    open.put(serial, written);
  }

  @Override
  public Answer to(int slotPlusOne) {
    return new Sent(calls.number(), slotPlusOne, calls.written());
  }

  @Override
  public Answer toOpen(long serial, int slotPlusOne) {
    List<MemoryRange> written = open.remove(serial);
    return new Sent(-serial, slotPlusOne, written == null ? List.of() : written);
  }

  private final class Sent implements Answer {
    private final long call;
    private final int slot;
    private List<MemoryRange> written;

    Sent(long call, int slot, List<MemoryRange> written) {
      this.call = call;
      this.slot = slot;
      this.written = written;
    }

    @Override
    public int slotPlusOne() {
      return slot;
    }

    @Override
    public boolean isWaitedFor() {
      return slot != 0;
    }

    @Override
    public boolean expectsBytes() {
      return !written.isEmpty();
    }

    @Override
    public void written() {
      if (!written.isEmpty()) {
        List<MemoryRange> ranges = written;
        written = List.of();
        // Who waits is answered soon, and has all of it then.
        outbox.add(call, ranges, new StateItem.Written(call));
      }
    }

    @Override
    public void give(int status, long... values) {
      settle.run();
      if (slot == 0) {
        written();
        return;
      }
      List<MemoryRange> ranges = written;
      written = List.of();
      outbox.add(
          call,
          ranges,
          new StateItem.Answered(call, status, LongStream.of(values).boxed().toList()));
    }
  }
}
