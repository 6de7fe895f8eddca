package io.sluice.gpu;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a card: fair, so that ioctls without end cannot keep the engine from it, nor the
 * engine an ioctl. Most who hold it hold it for a microsecond, and a thread that is put to sleep
 * for so long takes fifty to come back: whoever finds nobody queued tries again for a while before
 * it queues itself.
 */
final class CardLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  /** Some ten microseconds. */
  private static final int TRIES = 200;

  /** How often it was taken anew; by whoever holds it. */
  private long turns;

  CardLock() {
    super(true);
  }

  @Override
  public void lock() {
    for (int i = 0; i < TRIES && !hasQueuedThreads(); i++) {
      if (tryLock()) {
        turns++;
        return;
      }
      Thread.onSpinWait();
    }
    super.lock();
    turns++;
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

  /** Whether somebody sleeps until the lock is given up. */
  boolean isWanted() {
    return hasQueuedThreads();
  }
}
