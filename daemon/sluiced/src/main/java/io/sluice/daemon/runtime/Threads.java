package io.sluice.daemon.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's threads, which are made here, and which of them live. Platform threads: they block
 * in system calls.
 */
public final class Threads implements ThreadFactory {
  private static final Logger LOG = LoggerFactory.getLogger(Threads.class);

  private final Set<Thread> live = ConcurrentHashMap.newKeySet();

  /** A thread that is not started; its maker may name it. */
  @Override
  public Thread newThread(Runnable action) {
    // A daemon thread in Java's sense: one that should hang must not keep a stopped process.
    return Thread.ofPlatform().daemon().unstarted(() -> run(action));
  }

  /** Starts a thread. */
  public Thread start(String name, Runnable action) {
    Thread thread = newThread(action);
    thread.setName(name);
    thread.start();
    return thread;
  }

  private void run(Runnable action) {
    live.add(Thread.currentThread());
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      LOG.atError()
          .addKeyValue("thread", Thread.currentThread().getName())
          .setCause(e)
          .log("a thread of the daemon failed");
    } finally {
      live.remove(Thread.currentThread());
    }
  }

  /** Waits for a thread to end, and stays interrupted if it was meanwhile. */
  public static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for all of them to end; names those that did not. */
  public List<String> join(Duration patience) {
    List<String> left = new ArrayList<>();
    for (Thread thread : Set.copyOf(live)) {
      try {
        if (!thread.join(patience)) {
          left.add(thread.getName());
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        left.add(thread.getName());
      }
    }
    return left;
  }
}
