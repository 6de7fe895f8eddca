package io.sluice.daemon.migration;

import io.sluice.migrate.engine.AttachedHost;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.PhaseLog;
import io.sluice.migrate.phase.TargetPhase;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The restore of a checkpoint into a guest that is attached and empty. */
final class CheckpointRestore {
  private static final long IDLE_NS = 200_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final LongSupplier clock;
  private final MigrationTarget target;

  CheckpointRestore(
      MigrationLink reader,
      MappedGuest guest,
      TargetMachine machine,
      LongSupplier clock,
      PhaseLog.Observer<TargetPhase> observer) {
    this.clock = clock;
    target =
        new MigrationTarget(
            reader,
            new AttachedHost(guest, _ -> machine),
            TIMEOUT.toNanos(),
            clock.getAsLong(),
            observer);
  }

  /** Why it came to nothing; empty when it did not. */
  Optional<Reason> run() {
    try (target) {
      while (!target.phase().isOver()) {
        if (target.doWork(clock.getAsLong()) == 0) {
          LockSupport.parkNanos(this, IDLE_NS);
        }
      }
    }
    return target.phase() == TargetPhase.RUNNING
        ? Optional.empty()
        : Optional.of(target.reason().orElse(new Reason("", "it came to nothing", "")));
  }

  boolean canAbort() {
    return target.phase().canDiscard();
  }

  /** Gives up at the next step, unless it is too late. */
  void abort(Reason why) {
    target.abort(why);
  }
}
