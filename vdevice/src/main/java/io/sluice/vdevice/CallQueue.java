package io.sluice.vdevice;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The calls that were rung and not yet taken, in order: one connection thread rings, one call
 * thread takes.
 *
 * <p>A slot waits here at most once, so the queue cannot overflow however often a guest rings. Its
 * mark is cleared before the slot is looked at: a doorbell that comes later queues it again, one
 * that came earlier is covered by the look.
 *
 * <p>{@link #ring} does not wake the taker: the server first answers the register write that rang,
 * so that the virtual CPU goes on, and then calls {@link #wake}.
 */
final class CallQueue {
  /** What {@link #take} returns when the queue was closed. */
  static final int CLOSED = -1;

  private static final int RING = 128; // a power of two above the number of entries

  private final int entries;
  private final AtomicIntegerArray queued;
  private final AtomicIntegerArray ring = new AtomicIntegerArray(RING);

  private volatile int head; // taken so far; written by the taker
  private volatile int tail; // rung so far; written by the ringer
  private volatile boolean closed;
  private volatile @Nullable Thread taker;

  /**
   * @param entries things that can be rung: 0 to this minus 1
   */
  CallQueue(int entries) {
    if (entries > RING) {
      throw new IllegalArgumentException("too many entries, entries=" + entries);
    }
    this.entries = entries;
    queued = new AtomicIntegerArray(entries);
  }

  /** Queues an entry unless it waits already; an index out of range is ignored. */
  void ring(int entry) {
    if (entry < 0 || entry >= entries || !queued.compareAndSet(entry, 0, 1)) {
      return;
    }
    int at = tail;
    ring.set(at & (RING - 1), entry);
    tail = at + 1;
  }

  /** What waits, in order; while nobody rings and nobody takes. */
  IntStream entries() {
    return IntStream.range(head, tail).map(at -> ring.get(at & (RING - 1)));
  }

  /** Whether something waits. */
  boolean isEmpty() {
    return head == tail;
  }

  /** Wakes the taker if something waits. */
  void wake() {
    if (!isEmpty()) {
      LockSupport.unpark(taker);
    }
  }

  /** Waits for the next entry; {@link #CLOSED} after {@link #close}. */
  int take() {
    taker = Thread.currentThread();
    while (!closed) {
      int at = head;
      if (at != tail) {
        int entry = ring.get(at & (RING - 1));
        head = at + 1;
        queued.set(entry, 0);
        return entry;
      }
      LockSupport.park(this);
    }
    return CLOSED;
  }

  /** Ends {@link #take} for good; what waits is not executed any more. */
  void close() {
    closed = true;
    LockSupport.unpark(taker);
  }
}
