package io.sluice.remoting.relay;

import io.sluice.abi.Errno;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The items that are on their way to the host of the application, in order. The session never waits
 * for the network; one that has too much on its way ends. A sign of life goes now and then.
 */
final class MirrorOutbox {
  /**
   * Most that may be on its way, items and the ranges that go before them: each answers a call, or
   * was asked for by one.
   */
  static final int MOST = 1 << 18;

  /** Bytes of the application's memory that go in one frame. */
  private static final int PIECE_BYTES = 256 << 10;

  /** Contents of objects on their way at one time, so that answers do not wait behind many. */
  private static final int CONTENTS = 32;

  private static final long BEAT_NS = 5_000_000_000L;

  private final StateLink link;
  private final SharedMemory memory;
  private final Supplier<StateItem.Beat> beat;
  private final BlockingQueue<Outgoing> queue = new LinkedBlockingQueue<>();
  private final Semaphore room = new Semaphore(MOST);
  private final Semaphore contents = new Semaphore(CONTENTS);
  private final LongSupplier nanoTime;
  private volatile boolean over;

  /** Bytes for a call, then an item; without one it is the end. */
  private record Outgoing(long call, List<MemoryRange> ranges, @Nullable StateItem item) {
    int size() {
      return 1 + ranges.size();
    }
  }

  /**
   * @param link to the host of the application; stays the caller's
   * @param beat what a sign of life says
   */
  MirrorOutbox(
      StateLink link, SharedMemory memory, LongSupplier nanoTime, Supplier<StateItem.Beat> beat) {
    this.nanoTime = nanoTime;
    this.link = link;
    this.memory = memory;
    this.beat = beat;
  }

  /** An item, behind the bytes that a call has written. */
  void add(long call, List<MemoryRange> ranges, StateItem item) {
    Outgoing next = new Outgoing(call, ranges, item);
    if (over) {
      return;
    }
    if (!room.tryAcquire(next.size())) {
      throw new ProtocolException(Errno.ENOBUFS, "what is on its way is not taken");
    }
    queue.add(next);
  }

  /** An item. */
  void add(StateItem item) {
    add(0, List.of(), item);
  }

  /** An item of a session's state; waits while many are on their way. */
  void addState(StateItem item) throws StateException {
    try {
      while (!contents.tryAcquire(1, TimeUnit.SECONDS)) {
        if (over) {
          throw new StateException("the host of the application is gone");
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    }
    add(item);
  }

  /** Has {@link #run} return behind all that is on its way. */
  void end() {
    queue.add(new Outgoing(0, List.of(), null));
  }

  /** Sends, until the end or nobody takes it. */
  void run() {
    try {
      long beaten = nanoTime.getAsLong();
      while (true) {
        Outgoing next = queue.poll();
        if (next == null) {
          link.flush();
          next = queue.poll(BEAT_NS, TimeUnit.NANOSECONDS);
        }
        long now = nanoTime.getAsLong();
        if (next == null || now - beaten >= BEAT_NS) {
          beaten = now;
          link.write(beat.get());
        }
        if (next == null) {
          continue;
        }
        if (next.item() == null) {
          link.flush();
          return;
        }
        room.release(next.size());
        send(next, next.item());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (StateException | ProtocolException _) {
      link.end(); // who reads it knows then
    } finally {
      over = true;
      queue.clear();
    }
  }

  private void send(Outgoing next, StateItem item) throws StateException {
    for (MemoryRange range : next.ranges()) {
      for (long at = 0; at < range.size(); at += PIECE_BYTES) {
        long bytes = Math.min(PIECE_BYTES, range.size() - at);
        MemorySegment piece = memory.slice(range.place() + at, bytes);
        link.write(
            new StateItem.Bytes(
                next.call(), range.place() + at, piece.toArray(ValueLayout.JAVA_BYTE)));
      }
    }
    if (!(item instanceof StateItem.Wanted)) {
      link.write(item);
    }
    if (isState(item)) {
      contents.release();
    }
  }

  /** Whether an item came by {@link #addState}. */
  private static boolean isState(StateItem item) {
    return switch (item) {
      case StateItem.Head _,
          StateItem.Root _,
          StateItem.Made _,
          StateItem.Changed _,
          StateItem.Gone _,
          StateItem.Content _,
          StateItem.Settled _,
          StateItem.Open _,
          StateItem.Mapped _,
          StateItem.Failure _,
          StateItem.Ring _,
          StateItem.Prepared _,
          StateItem.Complete _,
          StateItem.Go _ ->
          true;
      default -> false;
    };
  }
}
