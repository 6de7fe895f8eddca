package io.sluice.daemon.sessions;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting for what a session host does, for so long and not longer, interrupted or not. */
final class Patience {
  /** Many times as long as a kernel takes to end a process. */
  static final Duration OF_A_KILL = Duration.ofSeconds(60);

  private Patience() {}

  /** Waits for the end of a thread, which has been told to end. */
  static void join(Thread thread) {
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

  /** Whether it came to its end in time. */
  static boolean await(CompletableFuture<?> end, Duration patience) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          Object _ = end.get(patience.toNanos(), TimeUnit.NANOSECONDS);
          return true;
        } catch (InterruptedException _) {
          interrupted = true; // once, or a few times; each begins anew
        } catch (ExecutionException _) {
          return true;
        } catch (TimeoutException _) {
          return false;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
