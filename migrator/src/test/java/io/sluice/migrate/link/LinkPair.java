package io.sluice.migrate.link;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two ends of a link in memory, with a clock of the test's and faults: delay, another order between
 * streams, too little room, a cut, a byte that changes. Lanes may use it.
 */
public final class LinkPair {
  private final LongSupplier clock;
  private final int streams;
  private final End[] ends = new End[2];
  private final ReentrantLock lock = new ReentrantLock();
  private long[] delayNs;
  private int queueFrames = Integer.MAX_VALUE;
  private boolean corruptNext;
  private long stalledNs = Long.MAX_VALUE;
  private long serial;

  /**
   * @param clock nanoseconds
   * @param streams of pages
   */
  public LinkPair(LongSupplier clock, int streams) {
    this.clock = clock;
    this.streams = streams;
    delayNs = new long[streams + 1];
    ends[0] = new End(0);
    ends[1] = new End(1);
  }

  /** The source's end. */
  public MigrationLink source() {
    return ends[0];
  }

  /** The destination's end. */
  public MigrationLink target() {
    return ends[1];
  }

  /** How long each stream's frames travel from now on; unequal delays change the order. */
  public void setDelays(long... delaysNs) {
    delayNs = delaysNs.clone();
  }

  /** How many frames a stream of pages takes before it refuses. */
  public void setQueueFrames(int frames) {
    queueFrames = frames;
  }

  /** The next frame sent is damaged on its way: a link that sums finds it and ends. */
  public void corruptNext() {
    corruptNext = true;
  }

  /** From now on nothing arrives any more, on either side, and nobody is told. */
  public void stall() {
    stalledNs = clock.getAsLong();
  }

  /** The link ends for both; what is under way is lost. */
  public void cut(String why) {
    for (End end : ends) {
      end.fail(why, false);
    }
  }

  private record InFlight(long dueNs, long serial, Frame frame, boolean damaged) {}

  private final class End implements MigrationLink {
    private final int index;
    private final List<PriorityQueue<InFlight>> incoming = new ArrayList<>();
    private final long[] last;
    private @Nullable RefusedException failure;
    private Runnable waker = () -> {};
    private long sent;
    private long received;

    End(int index) {
      this.index = index;
      last = new long[streams + 1];
      for (int i = 0; i <= streams; i++) {
        incoming.add(
            new PriorityQueue<>((a, b) ->
                a.dueNs() != b.dueNs()
                    ? Long.compare(a.dueNs(), b.dueNs())
                    : Long.compare(a.serial(), b.serial())));
      }
    }

    private End peer() {
      return ends[1 - index];
    }

    void fail(String why, boolean keepArrived) {
      if (failure == null) {
        failure =
            new RefusedException("SLU-MIG-001", Errno.ECONNRESET, "the link ended: " + why, "");
        if (!keepArrived) {
          incoming.forEach(PriorityQueue::clear);
        }
        waker.run();
      }
    }

    @Override
    public int dataStreams() {
      return streams;
    }

    @Override
    public boolean send(int stream, Frame frame) {
      lock.lock();
      try {
        return sendLocked(stream, frame);
      } finally {
        lock.unlock();
      }
    }

    private boolean sendLocked(int stream, Frame frame) {
      if (failure != null) {
        throw failure;
      }
      PriorityQueue<InFlight> queue = peer().incoming.get(stream);
      if (stream != CONTROL && queue.size() >= queueFrames) {
        return false;
      }
      long due = Math.max(last[stream], clock.getAsLong() + delayNs[stream]);
      last[stream] = due;
      queue.add(new InFlight(due, serial++, frame, corruptNext));
      corruptNext = false;
      sent += frame.sizeBytes();
      peer().waker.run();
      return true;
    }

    @Override
    public @Nullable Frame poll(int stream) {
      lock.lock();
      try {
        return pollLocked(stream);
      } finally {
        lock.unlock();
      }
    }

    private @Nullable Frame pollLocked(int stream) {
      PriorityQueue<InFlight> queue = incoming.get(stream);
      InFlight head = clock.getAsLong() >= stalledNs ? null : queue.peek();
      if (head == null || head.dueNs() > clock.getAsLong()) {
        if (failure != null && head == null) {
          throw failure;
        }
        return null;
      }
      queue.remove();
      if (head.damaged()) {
        cut("a frame is damaged");
        throw java.util.Objects.requireNonNull(failure);
      }
      received += head.frame().sizeBytes();
      return head.frame();
    }

    @Override
    public long silenceNs() {
      return Math.max(0, clock.getAsLong() - stalledNs);
    }

    @Override
    public boolean isFlushed() {
      return peer().incoming.stream().allMatch(PriorityQueue::isEmpty);
    }

    @Override
    public Optional<RefusedException> failure() {
      return Optional.ofNullable(failure);
    }

    @Override
    public void setWaker(Runnable waker) {
      this.waker = waker;
    }

    @Override
    public Statistics statistics() {
      return new Statistics(sent, received, 0, 0, 0, 0);
    }

    @Override
    public void close() {
      fail("closed", false);
      peer().fail("closed by the peer", true);
    }
  }
}
