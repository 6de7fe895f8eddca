package io.sluice.daemon.sessions;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waiting for what a session host does, for so long and not longer, interrupted or not.
 *
 * <p>The time is counted in slices, each of which counts as one however long it was. A daemon that
 * was stopped, or had no processor, for a while finds one slice gone, and has the others to take
 * what the host has said meanwhile.
 */
final class Patience {
  /** Many times as long as a kernel takes to end a process. */
  static final Duration OF_A_KILL = Duration.ofSeconds(60);

  /** A part of the time. */
  static final Duration SLICE = Duration.ofMillis(50);

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
    long leftNs = patience.toNanos();
    try {
      while (leftNs > 0) {
        long sliceNs = Math.min(leftNs, SLICE.toNanos());
        try {
          Object _ = end.get(sliceNs, TimeUnit.NANOSECONDS);
          return true;
        } catch (InterruptedException _) {
          interrupted = true; // once, or a few times; each begins the slice anew
        } catch (ExecutionException _) {
          return true;
        } catch (TimeoutException _) {
          leftNs -= sliceNs;
        }
      }
      return end.isDone();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
