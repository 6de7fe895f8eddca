package io.sluice.remoting.session;

import io.sluice.abi.sys.FileKernel;
import io.sluice.remoting.turns.DeviceTurns;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;

/** The surroundings of a session's calls while they are executed. */
public final class SessionContext {
  private final ObjectTable objects;
  private final Notices notices;
  private final SharedMemory memory;
  private final MemoryAccount account;
  private final DeviceTurns turns;
  private final LongSupplier nanoTime;
  private final Executor workers;
  private final FileKernel kernel;
  private final Runnable waker;
  private final BlockingQueue<Runnable> results = new LinkedBlockingQueue<>();
  private Runnable settling = () -> {};
  private int outstanding;
  private long chargedBytes;
  private boolean coming; // from another host

  SessionContext(
      ObjectTable objects,
      Notices notices,
      SharedMemory memory,
      SessionSettings settings,
      Runnable waker) {
    this.objects = objects;
    this.notices = notices;
    this.memory = memory;
    account = settings.account();
    turns = settings.turns();
    nanoTime = settings.nanoTime();
    workers = settings.workers();
    kernel = settings.kernel();
    this.waker = waker;
  }

  /** The session's objects. */
  public ObjectTable objects() {
    return objects;
  }

  /** What the application is told without asking. */
  public Notices notices() {
    return notices;
  }

  /** The whole segment of the application's memory that a call's range is of. */
  public MemorySegment registered(MemorySegment range) {
    return memory.around(range);
  }

  /** The guest's turns at devices. */
  public DeviceTurns turns() {
    return turns;
  }

  /** A clock that does not go back, nanoseconds. */
  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Whether a number could be the address of something in this process. */
  public boolean mayBeAnAddress(long number) {
    return kernel.isMapped(number);
  }

  /** Wakes the session's thread; the same each time. From any thread. */
  public Runnable waker() {
    return waker;
  }

  /**
   * Names what is done before an application on another host is told anything: those who wait for
   * bytes hear what is there by then.
   */
  public void settleBy(Runnable settle) {
    settling = settle;
  }

  /** Has those hear who wait for bytes that are there. */
  public void settle() {
    settling.run();
  }

  /** Wakes the session's thread; from any thread. */
  public void wake() {
    waker.run();
  }

  /**
   * Runs work that takes long on another thread, and what it leads to on the session's.
   *
   * @param work returns what the session's thread is to run
   */
  public void work(java.util.function.Supplier<Runnable> work) {
    outstanding++;
    workers.execute(() -> {
      results.add(work.get());
      wake();
    });
  }

  /** Runs what works have led to. */
  int runResults() {
    int count = 0;
    for (Runnable result = results.poll(); result != null; result = results.poll()) {
      outstanding--;
      result.run();
      count++;
    }
    return count;
  }

  /**
   * Waits for all works and runs what they lead to, also when some of that fails: before the
   * session gives back its objects.
   */
  public void finishWorks() {
    boolean interrupted = false;
    RuntimeException failure = null;
    while (outstanding > 0) {
      try {
        Runnable result = results.take();
        outstanding--;
        result.run();
      } catch (InterruptedException _) {
        interrupted = true;
      } catch (RuntimeException failed) {
        if (failure == null) {
          failure = failed;
        } else {
          failure.addSuppressed(failed);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Whether a work has not led to its result yet. */
  boolean hasWorks() {
    return outstanding > 0;
  }

  /** Whether a result waits to be run. */
  boolean hasResults() {
    return !results.isEmpty();
  }

  /**
   * Charges the guest for memory that an object is about to take.
   *
   * @return false if that is beyond its limit
   */
  public boolean charge(long bytes) {
    if (!(coming ? account.chargeComing(bytes) : account.charge(bytes))) {
      return false;
    }
    chargedBytes += bytes;
    return true;
  }

  /** Notes on an object what was charged for it, so that {@link #forget} gives it back. */
  public void chargeTo(SessionObject object, long bytes) {
    object.charge(bytes);
  }

  /** Gives back what an object was charged with, or what was charged in vain. */
  public void release(long bytes) {
    chargedBytes -= bytes;
    giveBack(bytes);
  }

  /** Gives back what an object that is gone was charged with. */
  public void forget(SessionObject object) {
    release(object.chargedBytes());
    object.charge(0);
  }

  /** Bytes that this session was charged with. */
  public long chargedBytes() {
    return chargedBytes;
  }

  private void giveBack(long bytes) {
    if (coming) {
      account.releaseComing(bytes);
    } else {
      account.release(bytes);
    }
  }

  /** The session is about to come from another host. */
  void isComing() {
    coming = true;
  }

  /** The session is this host's from now on. */
  void hasCome() {
    if (coming) {
      coming = false;
      account.hasCome(chargedBytes);
    }
  }

  void releaseAll() {
    giveBack(chargedBytes);
    chargedBytes = 0;
  }
}
