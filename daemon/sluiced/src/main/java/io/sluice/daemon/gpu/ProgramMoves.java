package io.sluice.daemon.gpu;

import io.sluice.channel.policy.MemoryQuotas;
import io.sluice.channel.policy.Moves;
import io.sluice.daemon.runtime.LoopFailures;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moving of CUDA programs' memory to system memory and back, as the quotas want it; on the
 * thread that runs it, since memory takes its time: a GiB is a fifth of a second.
 */
final class ProgramMoves {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramMoves.class);

  /** Between two looks when nothing moves and nobody kicks. */
  private static final Duration REST = Duration.ofSeconds(1);

  private final MemoryQuotas quotas;
  private final DutyLoop loop;

  /**
   * @param clock monotonic nanoseconds
   */
  ProgramMoves(MemoryQuotas quotas, LongSupplier clock) {
    this.quotas = quotas;
    loop = new DutyLoop(_ -> move(), clock, new LoopFailures(LOG, "moving programs' memory"));
  }

  /** The thread's work. */
  Runnable thread() {
    return loop;
  }

  /** Where something has moved, there may be more. */
  private long move() {
    Moves moves = quotas.movePrograms();
    return moves.evicted() + moves.returned() > 0 ? 0 : REST.toNanos();
  }

  /** Shares may have changed; from any thread. */
  void kick() {
    loop.kick();
  }

  /** Ends the thread after its current round; does not wait for it. */
  void stop() {
    loop.stop();
  }
}
