package io.sluice.daemon.migration;

import io.sluice.abi.SluiceException;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.TargetPhase;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A guest that is made of a file; run by a thread of its own. */
final class RestoringGuest implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RestoringGuest.class);

  /** Before anything of the file is used all of it is verified. */
  private static final String VERIFYING = "verifying";

  /** The guest is there; its machine is being let go on. */
  private static final String STARTING = "starting";

  private final String guest;
  private final String id;
  private final CheckpointFile source;
  private final RestoreTask work;
  private final LongSupplier clock;
  private final IncomingMigration.PhaseObserver observer;
  private final long startNs;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile String phase = VERIFYING;
  private volatile Reason reason = new Reason("", "", "");
  private volatile long endNs;
  private volatile @Nullable MigrationLink reader;
  private volatile @Nullable CheckpointRestore running;
  private volatile @Nullable Reason unwanted;

  /**
   * The file.
   *
   * @param named as operators know it
   * @param bytes of it
   */
  record CheckpointFile(String named, long bytes) {}

  /** The work itself, which tells its progress. */
  @FunctionalInterface
  interface RestoreTask {
    /**
     * @return why it came to nothing
     * @throws SluiceException likewise
     */
    Optional<Reason> run(RestoringGuest progress);
  }

  RestoringGuest(
      String guest,
      UUID id,
      CheckpointFile source,
      RestoreTask work,
      LongSupplier clock,
      IncomingMigration.PhaseObserver observer) {
    this.guest = guest;
    this.id = id.toString();
    this.source = source;
    this.work = work;
    this.clock = clock;
    this.observer = observer;
    startNs = clock.getAsLong();
  }

  @Override
  public void run() {
    Optional<Reason> why = Optional.of(new Reason("", "it was not finished", ""));
    try {
      tell(VERIFYING, source.named());
      why = work.run(this);
    } catch (SluiceException e) {
      why = Optional.of(Reason.of(e));
    } finally {
      running = null;
      reader = null;
      why.ifPresent(failure -> reason = failure);
      endNs = clock.getAsLong();
      phase = why.isEmpty() ? MigrationStatusView.DONE : MigrationStatusView.FAILED;
      ended.countDown();
      tell(phase, reason.what());
      LOG.atInfo()
          .addKeyValue("event", MigrationStatusView.RESTORE)
          .addKeyValue("guest", guest)
          .addKeyValue("id", id)
          .addKeyValue("phase", phase)
          .addKeyValue("reason", reason.what())
          .log("restore ended");
    }
  }

  /** The file was found whole, and is used from now on. */
  void verified(MigrationLink from) {
    reader = from;
  }

  /** The guest is being made; whoever has given it up before is heard now. */
  void begun(CheckpointRestore restore) {
    running = restore;
    Reason why = unwanted;
    if (why != null) {
      restore.abort(why);
    }
  }

  void entered(TargetPhase next, String why) {
    if (next != TargetPhase.RUNNING && next != TargetPhase.DISCARDED) {
      enter(next.label(), why);
    }
  }

  void starting() {
    enter(STARTING, "the machine is complete");
  }

  private void enter(String next, String why) {
    phase = next;
    tell(next, why);
  }

  private void tell(String next, String why) {
    observer.entered(new PhaseChange(guest, id, MigrationStatusView.RESTORE, next, why));
  }

  /** Gives up at the next step; false when it is too late. */
  boolean abort(Reason why) {
    // First of all: whoever begins it just now looks at this behind making it seen here.
    unwanted = why;
    CheckpointRestore now = running;
    if (isOver() || phase.equals(STARTING) || now != null && !now.canAbort()) {
      return false;
    }
    if (now != null) {
      now.abort(why);
    }
    return true;
  }

  String id() {
    return id;
  }

  String phase() {
    return phase;
  }

  long startNs() {
    return startNs;
  }

  boolean isOver() {
    return ended.getCount() == 0;
  }

  /** Waits until it is, for so long at most. */
  void awaitOver(Duration patience) {
    try {
      boolean _ = ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  MigrationStatusView view() {
    MigrationLink from = reader;
    boolean over = isOver();
    Reason why = reason;
    long read = from == null ? 0 : from.statistics().bytesReceived();
    return new MigrationStatusView(
        guest,
        id,
        MigrationStatusView.RESTORE,
        "in",
        source.named(),
        phase,
        why.what(),
        why.remedy(),
        source.bytes(),
        over ? source.bytes() : read,
        over ? 0 : source.bytes() - read,
        0,
        0,
        -1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        (over ? endNs : clock.getAsLong()) - startNs,
        over,
        false);
  }
}
