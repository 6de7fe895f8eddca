package io.sluice.gpu.fifo;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The gate between the engine and those who change what an open's channels use. While the engine
 * executes for the open it is inside, and has given the card's lock up: what it touches is the
 * guest's memory, and how long that takes is the guest's doing. Who changes anything of the open
 * waits with {@link #awaitOutside} until it has come out; nobody waits who changes another open's.
 *
 * <p>Guarded by the card's lock, but for {@link #isWanted}.
 */
public final class EngineGate {
  /** Fewer processors have something better to do than to wait. */
  private static final int MANY_PROCESSORS = 4;

  /** Some ten microseconds, or a hundred. */
  private static final int TRIES =
      Runtime.getRuntime().availableProcessors() < MANY_PROCESSORS ? 200 : 2000;

  private final ReentrantLock lock;
  private final Condition outside;
  private volatile boolean inside;
  private volatile int waiting; // changed under the lock

  /** What is done when the engine comes out. */
  private final Queue<Runnable> whenOut = new ArrayDeque<>();

  /** Somebody has waited for too long since the engine went in. */
  private boolean heldUp;

  /**
   * @param lock the card's
   */
  public EngineGate(ReentrantLock lock) {
    this.lock = lock;
    this.outside = lock.newCondition();
  }

  /** The engine goes in, and gives the lock up. */
  void enter() {
    inside = true;
    lock.unlock();
  }

  /**
   * The engine comes out, and has the lock again: before those who wait for it, who get it when the
   * engine has done its round.
   */
  void leave() {
    boolean got = lock.tryLock(); // passes by those who wait
    for (int i = 0; i < TRIES && !got; i++) {
      Thread.onSpinWait();
      got = lock.tryLock();
    }
    if (!got) {
      lock.lock();
    }
    inside = false;
    heldUp = false;
    for (Runnable next = whenOut.poll(); next != null; next = whenOut.poll()) {
      next.run();
    }
    if (waiting > 0) {
      outside.signalAll();
    }
  }

  /** Whether the engine is inside; it was held up there if one asks who has the lock. */
  public boolean isInside() {
    return inside;
  }

  /** Whether somebody waits for the engine to come out. */
  boolean isWanted() {
    return waiting > 0;
  }

  /**
   * Returns when the engine is not inside. The lock is held by the caller, once, and held when this
   * returns; it is given up meanwhile.
   */
  public void awaitOutside() {
    if (!inside) {
      return;
    }
    waiting = waiting + 1; // under the lock
    try {
      spin();
      while (inside) {
        outside.awaitUninterruptibly();
      }
    } finally {
      waiting = waiting - 1;
    }
  }

  /**
   * Has something done when the engine comes out, which is inside, before anybody gets the lock.
   */
  public void whenOut(Runnable action) {
    whenOut.add(action);
  }

  /**
   * As {@link #awaitOutside()}, but for so long at most; not at all when somebody has waited for
   * that already since the engine went in.
   *
   * @param patienceNs nanoseconds
   */
  public void awaitOutside(long patienceNs) {
    if (!inside || heldUp) {
      return;
    }
    waiting = waiting + 1; // under the lock
    try {
      spin();
      long left = patienceNs;
      while (inside && left > 0) {
        left = outside.awaitNanos(left);
      }
      heldUp = inside;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it looks past the engine now
    } finally {
      waiting = waiting - 1;
    }
  }

  /** Most slices end soon, and a thread that sleeps takes fifty microseconds to come back. */
  private void spin() {
    lock.unlock();
    try {
      for (int i = 0; i < TRIES && inside; i++) {
        Thread.onSpinWait();
      }
    } finally {
      lock.lock();
    }
  }
}
