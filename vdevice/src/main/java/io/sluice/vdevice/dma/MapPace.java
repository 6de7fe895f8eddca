package io.sluice.vdevice.dma;

import io.sluice.abi.RateLimit;
import io.sluice.vdevice.protocol.Limits;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The pace at which a guest maps memory. Each map that goes away again stops every thread of the
 * daemon for some ten microseconds, the GPU's engine too, so a guest that maps and unmaps without
 * end waits, and nobody else does.
 */
public final class MapPace {
  /** Maps at once: twice as many as there can be. */
  private static final int BURST = 2 * Limits.MAX_DMA_MAPS;

  /** In the long run: less than one hundredth of the time then is spent on maps that go away. */
  static final Duration INTERVAL = Duration.ofMillis(2);

  private final RateLimit rate;
  private final LongConsumer pause;

  /** The pace of one guest. */
  public MapPace(LongSupplier clock) {
    this(BURST, clock, new Pause()::forNs);
  }

  /**
   * @param burst maps at once
   * @param pause waits for so many nanoseconds
   */
  public MapPace(int burst, LongSupplier clock, LongConsumer pause) {
    rate = new RateLimit(burst, INTERVAL, clock);
    this.pause = pause;
  }

  /** Waits until one more map may be made; not for long, whatever the clock does. */
  void await() {
    if (!rate.tryTake()) {
      pause.accept(Math.min(rate.untilNextNs(), INTERVAL.toNanos()));
      boolean _ = rate.tryTake();
    }
  }

  /** How many maps there may be at once now. */
  public RateLimit.Allowance room() {
    return rate.room();
  }

  /** A wait that nobody ends early. */
  private static final class Pause {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition never = lock.newCondition();

    void forNs(long ns) {
      lock.lock();
      try {
        for (long left = ns; left > 0; ) {
          left = never.awaitNanos(left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        lock.unlock();
      }
    }
  }
}
