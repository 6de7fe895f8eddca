package io.sluice.gpu.launch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.gpu.engine.ShareAccount;
import io.sluice.gpu.engine.TimeShare;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The division of an executor's threads among the opens of a GPU, by weight: each task that ends is
 * followed by one of the open that has had the least. Tasks are short, since grids give their
 * thread away when others want it. No thread is idle while a task waits.
 */
final class FairExecutor {
  private final Executor executor;
  private final LongSupplier clock;
  private final LongSupplier processor;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Map<TimeShare, Line> lines = new IdentityHashMap<>();

  @GuardedBy("lock")
  private long virtualNow;

  /** The tasks of an open, waiting and under way. */
  private static final class Line {
    final Queue<Runnable> tasks = new ArrayDeque<>();
    int running;
  }

  /** A task that was chosen. */
  private record Chosen(TimeShare share, Runnable task, long processorNs) {}

  /**
   * @param clock GPU time
   * @param processor processor time of the thread that asks: an open is charged with that
   */
  FairExecutor(Executor executor, LongSupplier clock, LongSupplier processor) {
    this.executor = executor;
    this.clock = clock;
    this.processor = processor;
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
    Chosen chosen = choose();
    try {
      chosen.task.run();
    } finally {
      ended(chosen);
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
      return new Chosen(least, task, processor.getAsLong());
    } finally {
      lock.unlock();
    }
  }

  private static long virtualTime(TimeShare share) {
    return share.multiprocessors().virtualTime();
  }

  private void ended(Chosen chosen) {
    lock.lock();
    try {
      long now = clock.getAsLong();
      ShareAccount account = chosen.share.multiprocessors();
      account.use(processor.getAsLong() - chosen.processorNs);
      Line line = lines.get(chosen.share);
      if (line == null) {
        return;
      }
      line.running--;
      if (line.running > 0) {
        return;
      }
      if (line.tasks.isEmpty()) {
        account.rest();
        lines.remove(chosen.share);
      } else {
        account.want(now, virtualNow);
      }
    } finally {
      lock.unlock();
    }
  }
}
