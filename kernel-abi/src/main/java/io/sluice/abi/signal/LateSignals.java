package io.sluice.abi.signal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals to a peer that a thread of its own sends, since they take longer than others may be
 * kept waiting ({@link PromptSignals}). The thread is made when there is the first one. Any thread
 * may call.
 */
public final class LateSignals implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LateSignals.class);

  private final IntConsumer signal;
  private final ThreadFactory threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private long waiting; // one bit each

  @GuardedBy("lock")
  private @Nullable Thread thread;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param signal sends one, by its number, and may take its time
   * @param threads makes the thread
   */
  public LateSignals(IntConsumer signal, ThreadFactory threads) {
    this.signal = signal;
    this.threads = threads;
  }

  /**
   * Has one sent, soon; several of one number count as one. Never waits for a signal.
   *
   * @param number 0 to 63
   */
  public void send(int number) {
    lock.lock();
    try {
      waiting |= 1L << number;
      if (thread == null && !closed) {
        start();
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void start() {
    try {
      Thread made = threads.newThread(this::run);
      made.start();
      thread = made;
    } catch (OutOfMemoryError e) { // the next one tries again
      LOG.atWarn().setCause(e).log("no thread for signals that take long");
    }
  }

  /** Ends the thread, when it has done what it is at; does not wait for that. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    long now = take();
    while (now != 0) {
      int number = Long.numberOfTrailingZeros(now);
      now &= now - 1;
      try {
        signal.accept(number);
      } catch (RuntimeException | Error e) {
        LOG.atWarn().setCause(e).addKeyValue("number", number).log("a signal is lost");
      }
      now = now == 0 ? take() : now;
    }
  }

  /** Waits for some; 0 when there will be none. */
  private long take() {
    lock.lock();
    try {
      while (waiting == 0 && !closed) {
        changed.awaitUninterruptibly();
      }
      long now = closed ? 0 : waiting;
      waiting = 0;
      return now;
    } finally {
      lock.unlock();
    }
  }
}
