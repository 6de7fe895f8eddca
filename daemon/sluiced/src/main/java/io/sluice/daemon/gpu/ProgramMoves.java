package io.sluice.daemon.gpu;

import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moving of CUDA programs' memory to system memory and back, as the quotas want it; on the
 * thread that runs it, since memory takes its time: a GiB is a fifth of a second.
 */
final class ProgramMoves implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramMoves.class);

  /** Between two looks when nothing moves and nobody kicks. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final LoopFailures failures = new LoopFailures(LOG, "moving programs' memory");
  private final MemoryQuotas quotas;
  private volatile @Nullable Thread thread;
  private volatile boolean stopped;

  ProgramMoves(MemoryQuotas quotas) {
    this.quotas = quotas;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!stopped) {
      if (!move()) {
        LockSupport.parkNanos(this, REST.toNanos()); // a kick before it makes it return at once
      }
    }
  }

  /** Whether something has moved, so that there may be more. */
  private boolean move() {
    try {
      MemoryQuotas.Moves moves = quotas.movePrograms();
      return moves.evicted() + moves.returned() > 0;
    } catch (RuntimeException | Error e) {
      failures.note(e);
      return false;
    }
  }

  /** Shares may have changed; from any thread. */
  void kick() {
    LockSupport.unpark(thread);
  }

  /** Ends the thread after its current round; does not wait for it. */
  void stop() {
    stopped = true;
    kick();
  }
}
