package io.sluice.channel.nvidia.relay.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The turn to work on a program's objects: its thread has it during a call, and whoever moves its
 * memory between two. It is taken under the lock of the quotas; so whoever has it waits for these
 * {@linkplain #aside without it}.
 */
public final class ProgramTurn {
  /** In order: whoever moves memory again and again does not keep the program from its calls. */
  private final ReentrantLock lock = new ReentrantLock(true);

  private final Condition told = lock.newCondition();

  public void take() {
    lock.lock();
  }

  /**
   * Takes it, if it is to be had soon.
   *
   * @param patienceNs how long it is waited for
   */
  public boolean tryTake(long patienceNs) {
    try {
      return lock.tryLock(patienceNs, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Has others have it for a while, or until one of them has {@linkplain #tellAll told}.
   *
   * @param atMostNs how long
   */
  public void await(long atMostNs) {
    try {
      long _ = told.awaitNanos(atMostNs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Has those go on that wait. */
  public void tellAll() {
    told.signalAll();
  }

  public void giveBack() {
    lock.unlock();
  }

  /** Asks something that may wait for others: they may have the turn meanwhile. */
  public boolean aside(BooleanSupplier question) {
    lock.unlock();
    try {
      return question.getAsBoolean();
    } finally {
      lock.lock();
    }
  }
}
