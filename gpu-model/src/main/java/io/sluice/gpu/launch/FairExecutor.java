package io.sluice.gpu.launch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.ThreadUse;
import io.sluice.gpu.engine.PageWaits;
import io.sluice.gpu.engine.ShareAccount;
import io.sluice.gpu.engine.ThreadMeter;
import io.sluice.gpu.engine.TimeShare;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The division of an executor's threads among the opens of a GPU, by weight: each task that ends is
 * followed by one of the open that has had the least. Tasks are short, since grids give their
 * thread away when others want it. No thread is idle while a task waits. A task that touches memory
 * of its guest may be held up there by the guest: who gives the executor its threads asks for how
 * many that is so, and gives it as many more.
 */
final class FairExecutor {
  /** Longer than a part of a grid takes, if it is not interpreted or compiled. */
  private static final long HELD_UP_NS = 10_000_000;

  /** Of an open that has held one up lately. */
  private static final long HELD_UP_APART_NS = 1_000_000;

  private final Executor executor;
  private final LongSupplier clock;
  private final ThreadMeter meter;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<TimeShare, Line> lines = new IdentityHashMap<>();

  /** Tasks under way. */
  @GuardedBy("lock")
  private final Set<Chosen> chosen = new HashSet<>();

  @GuardedBy("lock")
  private long virtualNow;

  /** The tasks of an open, waiting and under way. */
  private static final class Line {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    int running;
  }

  /** A task that was chosen; none is like another. */
  private static final class Chosen {
    final TimeShare share;
    final Runnable task;
    final long beganNs;
    final long beganProcessorNs;
    final @Nullable ThreadUse before; // null: it was not watched

    Chosen(TimeShare share, Runnable task, long beganNs, ThreadMeter meter) {
      this.share = share;
      this.task = task;
      this.beganNs = beganNs;
      this.beganProcessorNs = meter.processor().getAsLong();
      this.before = share.pageWaits().isWatched(beganNs) ? meter.use().get() : null;
    }
  }

  /**
   * @param clock GPU time
   * @param meter of the thread that asks: an open is charged with its processor time, and with what
   *     it has slept for pages
   */
  FairExecutor(Executor executor, LongSupplier clock, ThreadMeter meter) {
    this.executor = executor;
    this.clock = clock;
    this.meter = meter;
  }

  /** An executor for the tasks of one open. */
  Executor of(TimeShare share) {
    return task -> execute(share, task);
  }

  private void execute(TimeShare share, Runnable task) {
    lock.lock();
    try {
      Line line = lines.computeIfAbsent(share, _ -> new Line());
      line.tasks.add(task);
      if (line.running == 0) {
        share.multiprocessors().want(clock.getAsLong(), virtualNow);
      }
    } finally {
      lock.unlock();
    }
    executor.execute(this::runOne);
  }

  /** Runs a task: whoever put this one into the executor's queue put a task into ours. */
  private void runOne() {
    Chosen next = choose();
    try {
      next.task.run();
    } finally {
      ended(next);
    }
  }

  private Chosen choose() {
    lock.lock();
    try {
      TimeShare least = null;
      for (Map.Entry<TimeShare, Line> each : lines.entrySet()) {
        if (!each.getValue().tasks.isEmpty()
            && (least == null || virtualTime(each.getKey()) < virtualTime(least))) {
          least = each.getKey();
        }
      }
      Line line = least == null ? null : lines.get(least);
      Runnable task = line == null ? null : line.tasks.poll();
      if (least == null || line == null || task == null) {
        throw new AssertionError("as many tasks as turns");
      }
      line.running++;
      long now = clock.getAsLong();
      virtualNow = Math.max(virtualNow, virtualTime(least));
      least.multiprocessors().begin(now);
      Chosen next = new Chosen(least, task, now, meter);
      chosen.add(next);
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** What a task that is over is charged with; its open is told what is known of its memory. */
  private long used(Chosen over) {
    long processorNs = meter.processor().getAsLong() - over.beganProcessorNs;
    long now = clock.getAsLong();
    long tookNs = now - over.beganNs;
    if (tookNs - processorNs <= PageWaits.LONG_NS) {
      return processorNs;
    }
    PageWaits waits = over.share.pageWaits();
    waits.tookLong(now);
    ThreadUse before = over.before;
    if (before == null || !meter.use().get().sleptForAPageSince(before)) {
      return processorNs;
    }
    waits.slept(now);
    return tookNs;
  }

  private static long virtualTime(TimeShare share) {
    return share.multiprocessors().virtualTime();
  }

  /**
   * Tasks that have taken for so long that a thread must be held up, while another open's wait;
   * less long of an open that has held one up lately.
   */
  int heldUp(long nowNs) {
    lock.lock();
    try {
      int count = 0;
      for (Chosen each : chosen) {
        boolean apart = each.share.pageWaits().isApart(nowNs);
        long mostNs = apart ? HELD_UP_APART_NS : HELD_UP_NS;
        if (nowNs - each.beganNs > mostNs && othersWait(each.share)) {
          count++;
        }
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean othersWait(TimeShare share) {
    for (Map.Entry<TimeShare, Line> each : lines.entrySet()) {
      if (each.getKey() != share && !each.getValue().tasks.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private void ended(Chosen over) {
    long usedNs = used(over);
    lock.lock();
    try {
      chosen.remove(over);
      long now = clock.getAsLong();
      ShareAccount account = over.share.multiprocessors();
      account.use(usedNs);
      Line line = lines.get(over.share);
      if (line == null) {
        return;
      }
      line.running--;
      if (line.running > 0) {
        return;
      }
      if (line.tasks.isEmpty()) {
        account.rest();
        lines.remove(over.share);
      } else {
        account.want(now, virtualNow);
      }
    } finally {
      lock.unlock();
    }
  }
}
