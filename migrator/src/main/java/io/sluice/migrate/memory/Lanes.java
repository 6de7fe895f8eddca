package io.sluice.migrate.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads among which the engine divides the work on video memory. {@link #run} is a fork and a
 * join: whoever calls it does one share, threads of its own do the others, and it returns when all
 * have ended, well or not. What was written before it is seen by all of them, and what they wrote
 * by the caller.
 *
 * <p>One thread calls it, and the same, or another after it, closes it. With one lane there are no
 * threads.
 */
public final class Lanes implements AutoCloseable {
  /**
   * How often a thread looks for what is next before it sleeps: for some tens of microseconds,
   * about as long as an engine takes from one run to the next.
   */
  private static final int LOOKS = 1000;

  /** More would wait for memory. */
  private static final int MOST = 8;

  private final int count;
  private final ThreadFactory threads;
  private final List<Helper> helpers = new ArrayList<>();
  private volatile boolean closed;

  /**
   * @param count at least 1; all but one have a thread, from the first run that needs it
   * @param threads makes them: platform threads, which block in system calls
   */
  public Lanes(int count, ThreadFactory threads) {
    if (count < 1) {
      throw new IllegalArgumentException("no lanes, count=" + count);
    }
    this.count = count;
    this.threads = threads;
  }

  /** How many a host of so many processors has for a migration: a quarter, 1 to 8. */
  public static int usual(int processors) {
    return Math.clamp(processors / 4, 1, MOST);
  }

  /** One lane: everything is done by the caller. */
  public static Lanes one() {
    return new Lanes(
        1,
        _ -> {
          throw new AssertionError("one lane needs no threads");
        });
  }

  /** How many shares of work can be under way at one time. */
  public int count() {
    return count;
  }

  /**
   * Does shares of work at the same time.
   *
   * @param shares 1 to {@link #count}
   * @param work given the number of each share, from 0; share 0 is the caller's
   * @throws RuntimeException what the first share to fail has thrown; with what others have thrown,
   *     suppressed. All have ended by then
   */
  public void run(int shares, IntConsumer work) {
    if (shares < 1 || shares > count || closed) {
      throw new IllegalArgumentException(
          "no such shares, shares=" + shares + " lanes=" + count + " closed=" + closed);
    }
    if (shares == 1) {
      work.accept(0);
      return;
    }
    while (helpers.size() < shares - 1) {
      helpers.add(new Helper(helpers.size() + 1));
    }
    Round round = new Round(work, shares);
    for (int i = 0; i < shares - 1; i++) {
      helpers.get(i).begin(round);
    }
    round.take(0);
    round.join();
  }

  /** Ends the threads, and waits for them. */
  @Override
  public void close() {
    closed = true;
    helpers.forEach(Helper::wake);
    boolean interrupted = false;
    for (Helper helper : helpers) {
      while (helper.thread.isAlive()) {
        try {
          helper.thread.join();
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    }
    helpers.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** One fork and its join. */
  private static final class Round {
    private final IntConsumer work;
    private final AtomicInteger left;
    private final Thread caller = Thread.currentThread();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Round(IntConsumer work, int shares) {
      this.work = work;
      left = new AtomicInteger(shares);
    }

    void take(int share) {
      try {
        work.accept(share);
      } catch (RuntimeException | Error e) {
        if (!failure.compareAndSet(null, e)) {
          Throwable first = failure.get();
          if (first != null && first != e) {
            first.addSuppressed(e);
          }
        }
      } finally {
        if (left.decrementAndGet() == 0) {
          LockSupport.unpark(caller);
        }
      }
    }

    /** Called by the caller, when it has done its share. */
    void join() {
      for (int looks = 0; left.get() > 0 && looks < LOOKS; looks++) {
        Thread.onSpinWait();
      }
      boolean interrupted = false;
      while (left.get() > 0) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        caller.interrupt();
      }
      // Whoever has woken the caller meanwhile wanted it to look at something else.
      LockSupport.unpark(caller);
      switch (failure.get()) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case Throwable e -> throw new AssertionError(e);
      }
    }
  }

  /** A helper does one share of each round that needs it. */
  private final class Helper implements Runnable {
    private final int share;
    private final AtomicReference<@Nullable Round> next = new AtomicReference<>();
    private final Thread thread;

    Helper(int share) {
      this.share = share;
      thread = threads.newThread(this);
      thread.setName("sluice-lane-" + share);
      thread.start();
    }

    void begin(Round round) {
      next.set(round);
      wake();
    }

    void wake() {
      LockSupport.unpark(thread);
    }

    @Override
    public void run() {
      Round round = await();
      while (round != null) {
        round.take(share);
        round = await();
      }
    }

    /** Null when there is no more. */
    private @Nullable Round await() {
      for (int looks = 0; !closed; looks++) {
        Round round = next.get();
        if (round != null) {
          next.set(null);
          return round;
        }
        if (looks < LOOKS) {
          Thread.onSpinWait();
        } else {
          LockSupport.park(this);
        }
      }
      return null;
    }
  }
}
