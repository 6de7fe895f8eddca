package io.sluice.gpu;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a card: fair, so that ioctls without end cannot keep the engine from it, nor the
 * engine an ioctl. Most who hold it hold it for a microsecond, and a thread that is put to sleep
 * for so long takes fifty to come back, while those behind it in the queue sleep as well. So
 * whoever does not get it at once tries again for a while before it queues itself. Those who sleep
 * already come first.
 */
final class CardLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** Fewer processors have something better to do than to wait. */
  private static final int MANY_PROCESSORS = 4;

  /** Some ten microseconds, or a hundred. */
  private static final int TRIES =
      Runtime.getRuntime().availableProcessors() < MANY_PROCESSORS ? 200 : 2000;

  private final AtomicInteger spinning = new AtomicInteger(); // threads

  /** How often it was taken anew; by whoever holds it. */
  private long turns;

  CardLock() {
    super(true);
  }

  @Override
  public void lock() {
    if (isHeldByCurrentThread()) {
      super.lock();
    } else if (isWanted() || !tryLock()) {
      await();
    }
    turns++;
  }

  private void await() {
    boolean got;
    spinning.incrementAndGet();
    try {
      got = spin();
    } finally {
      spinning.decrementAndGet();
    }
    if (!got) {
      super.lock();
    }
  }

  private boolean spin() {
    for (int i = 0; i < TRIES; i++) {
      if (!hasQueuedThreads() && tryLock()) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /** How often it was taken, but for this question: work that is cut gives it up in between. */
  long turns() {
    lock();
    try {
      turns--;
      return turns;
    } finally {
      unlock();
    }
  }

  /** Whether somebody waits until the lock is given up. */
  boolean isWanted() {
    return spinning.get() > 0 || hasQueuedThreads();
  }
}
