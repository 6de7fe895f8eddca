package io.sluice.daemon.gpu;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run grids; they end when there have been none for a while. As many as there are
 * processors, and one more for each that a guest's memory holds up, twice as many at most.
 */
final class ComputeThreads implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final int count;
  private final ThreadPoolExecutor pool;
  private int spare;

  /**
   * @param count threads
   * @param factory makes them
   */
  ComputeThreads(int count, ThreadFactory factory) {
    this.count = count;
    pool =
        new ThreadPoolExecutor(
            count, count, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    pool.allowCoreThreadTimeOut(true);
  }

  int count() {
    return count;
  }

  /** Most threads that there are now. */
  int limit() {
    return pool.getMaximumPoolSize();
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Some of them are held up; called by one thread. */
  void heldUp(int threads) {
    int wanted = Math.min(threads, count);
    if (wanted > spare) {
      pool.setMaximumPoolSize(count + wanted);
      pool.setCorePoolSize(count + wanted);
    } else if (wanted < spare) {
      pool.setCorePoolSize(count + wanted);
      pool.setMaximumPoolSize(count + wanted);
    }
    spare = wanted;
  }

  /** No more tasks come; those that were given are done. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
