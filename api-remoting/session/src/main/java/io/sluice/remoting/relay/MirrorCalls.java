package io.sluice.remoting.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.remoting.session.SessionPort;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The calls that come from the host of the application, until the session takes them. Who brings
 * them waits while they are many. None can be left here: the application's host knows them as
 * taken.
 */
final class MirrorCalls implements SessionPort.CallSource {
  /** Most bytes of messages that wait, and of the ranges that they write. */
  private static final int MOST_BYTES = 256 << 10;

  private static final int RANGE_BYTES = 2 * Long.BYTES;

  @GuardedBy("this")
  private final Queue<StateItem.Sent> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private int bytes; // of those that wait

  @GuardedBy("this")
  private boolean closed;

  private StateItem.Sent taken = new StateItem.Sent(0, List.of(), new byte[0]); // session's thread
  private int tail; // session's thread

  private static int bytes(StateItem.Sent call) {
    return call.message().length + call.written().size() * RANGE_BYTES;
  }

  /** Brings a call, when there is room. */
  synchronized void put(StateItem.Sent call) throws StateException {
    try {
      while (bytes >= MOST_BYTES && !closed) {
        wait();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (closed) {
      throw new StateException("the session is at its end");
    }
    bytes += bytes(call);
    waiting.add(call);
  }

  /** Nothing is taken any more. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  @Override
  public synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  @Override
  public synchronized int take(byte[] into) {
    StateItem.Sent next = waiting.poll();
    if (next == null) {
      return 0;
    }
    taken = next;
    int length = next.message().length;
    System.arraycopy(next.message(), 0, into, 0, length);
    bytes -= bytes(next);
    tail += length;
    notifyAll();
    return length;
  }

  /** The number of the call that was taken last. */
  long number() {
    return taken.number();
  }

  /** What that writes of the application's memory. */
  List<MemoryRange> written() {
    return taken.written();
  }

  @Override
  public int tail() {
    return tail;
  }

  @Override
  public void goOn(int before) {
    tail = before;
  }
}
