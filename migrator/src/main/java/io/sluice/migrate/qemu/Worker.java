package io.sluice.migrate.qemu;

import io.sluice.abi.SluiceException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that does one thing after the other: monitors of machines make their callers wait. */
public final class Worker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final Runnable END = () -> {};

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Consumer<SluiceException> onFailure;
  private final Thread thread;

  /**
   * @param name of the thread
   * @param onFailure told of a task that failed; those behind it are done all the same
   */
  public Worker(String name, ThreadFactory threads, Consumer<SluiceException> onFailure) {
    this.onFailure = onFailure;
    thread = threads.newThread(this::run);
    thread.setName(name);
    thread.start();
  }

  /** Has something done after what is to be done already. */
  public void submit(Runnable task) {
    tasks.add(task);
  }

  /** The same, and a task that is parked goes on: it was to wait for nothing but the time. */
  void submitNow(Runnable task) {
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  private void run() {
    try {
      for (Runnable task = tasks.take(); task != END; task = tasks.take()) {
        attempt(task);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void attempt(Runnable task) {
    try {
      task.run();
    } catch (SluiceException e) {
      LOG.atWarn().log("a step of a machine's migration failed: {} {}", e.getMessage(), e.remedy());
      onFailure.accept(e);
    } catch (RuntimeException | Error e) {
      // The tasks behind it are others', and let go of what the machine holds.
      LOG.atError().setCause(e).log("a step of a machine's migration met what nobody foresaw");
      onFailure.accept(MachineStart.unforeseen(e));
    }
  }

  /** What an operator is told of a failure. */
  static String text(SluiceException e) {
    return e.getMessage() + (e.remedy().isEmpty() ? "" : " " + e.remedy());
  }

  /**
   * Ends the thread when it has done what it was given, another thread has ended, and what both
   * used is let go.
   */
  void closeAfter(@Nullable Thread other, Runnable release) {
    submit(() -> {
      join(other);
      release.run();
    });
    close();
  }

  /** Waits for a thread, if there is one. */
  private static void join(@Nullable Thread thread) {
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the thread when it has done what it was given. */
  @Override
  public void close() {
    tasks.add(END);
  }
}
