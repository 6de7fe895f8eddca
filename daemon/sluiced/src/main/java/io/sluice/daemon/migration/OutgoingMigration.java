package io.sluice.daemon.migration;

import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.Guest;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Inquiry.Answer;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.report.MigrationReport;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A guest that leaves this daemon, or is copied by it; run by a thread of its own. */
final class OutgoingMigration implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingMigration.class);
  private static final long ASK_AGAIN_NS = 500_000_000;

  private final String guest;
  private final String peer;
  private final MappedGuest mapped;
  private final SourceMachine machine;
  private final Lanes lanes;
  private final LongSupplier clock;
  private final Reconnect reconnect;
  private final MigrationSource source;
  private final MigrationReport report;
  private final IncomingMigration.PhaseObserver observer;
  private final Consumer<Boolean> onUndecided;
  private final long startNs;
  private MigrationLink link;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Answer said; // by the operator
  private volatile boolean undecided; // told

  /** The maker of another link to the same destination, to ask it what became of the guest. */
  @FunctionalInterface
  interface Reconnect {
    /** Null when it cannot be reached now. */
    @Nullable MigrationLink open();
  }

  /**
   * The parts of one; mapped, machine, link and lanes are closed when it ends.
   *
   * @param id of the attempt, drawn at random
   * @param peer the other side, for people
   * @param link to it
   * @param lanes for its work on video memory
   * @param onUndecided told when the destination's word is needed and the link to it has ended, and
   *     when that is over
   */
  record Parts(
      UUID id,
      String peer,
      MappedGuest mapped,
      SourceMachine machine,
      MigrationLink link,
      Lanes lanes,
      Consumer<Boolean> onUndecided) {}

  OutgoingMigration(
      Guest guest,
      Parts parts,
      MigrationSettings settings,
      LongSupplier clock,
      RandomGenerator random,
      Reconnect reconnect,
      IncomingMigration.PhaseObserver observer) {
    this.guest = guest.name();
    peer = parts.peer();
    mapped = parts.mapped();
    machine = parts.machine();
    lanes = parts.lanes();
    link = parts.link();
    this.clock = clock;
    this.reconnect = reconnect;
    this.observer = observer;
    onUndecided = parts.onUndecided();
    startNs = clock.getAsLong();
    report = new MigrationReport(startNs);
    source =
        new MigrationSource(
            new MigrationSource.Parts(mapped, machine, link, lanes),
            settings,
            parts.id(),
            random,
            startNs,
            (phase, reason) -> observer.entered(guest.name(), phase.label(), reason));
  }

  @Override
  public void run() {
    Thread self = Thread.currentThread();
    link.setWaker(() -> LockSupport.unpark(self));
    machine.setWaker(() -> LockSupport.unpark(self));
    long askedNs = 0;
    Doubt doubt = new Doubt(ASK_AGAIN_NS, startNs);
    long workedNs = startNs;
    try {
      while (!source.phase().isOver()) {
        long now = clock.getAsLong();
        int worked = source.doWork(now);
        report.observe(source.status());
        if (doubt.look(source.isUndecided(), now)) {
          tellUndecided();
        }
        Answer wish = said;
        if (wish != null && source.isUndecided()) {
          obey(wish);
        } else if (source.isUndecided() && now - askedNs > ASK_AGAIN_NS) {
          askedNs = now;
          ask(self);
        } else if (worked == 0) {
          LockSupport.parkNanos(
              this,
              source.phase() == Phase.PRE_COPY ? IdleTime.MOST_NS : IdleTime.after(now - workedNs));
        } else {
          workedNs = now;
        }
      }
      report.observe(source.status());
    } finally {
      source.close();
      lanes.close();
      link.close();
      machine.close();
      mapped.close();
      if (undecided) {
        onUndecided.accept(false);
      }
      ended.countDown();
      LOG.atInfo()
          .addKeyValue("event", "migration")
          .addKeyValue("guest", guest)
          .addKeyValue("phase", source.phase().label())
          .addKeyValue("reason", source.reason().map(Reason::what).orElse(""))
          .log("migration ended");
    }
  }

  /** Once: a destination that cannot be reached is asked again and again. */
  private void tellUndecided() {
    undecided = true;
    onUndecided.accept(true);
    observer.entered(
        guest, LeftMachines.UNDECIDED, "the destination cannot be asked what became of it");
  }

  private void obey(Answer wish) {
    switch (wish) {
      case SOURCE ->
          source.reclaim(
              new Reason(
                  MigrationCode.CANCELLED, "the operator says that it runs nowhere else", ""));
      case DESTINATION -> source.relinquish();
    }
  }

  private void ask(Thread self) {
    try {
      MigrationLink again = reconnect.open();
      if (again != null) {
        link.close();
        link = again;
        again.setWaker(() -> LockSupport.unpark(self));
        source.inquire(again);
      }
    } catch (SluiceException e) {
      LOG.atDebug().addKeyValue("guest", guest).log("the destination cannot be asked", e);
    }
  }

  long startNs() {
    return startNs;
  }

  MigrationSource source() {
    return source;
  }

  boolean isOver() {
    return ended.getCount() == 0;
  }

  /** Waits until it is. */
  void awaitOver() {
    boolean interrupted = false;
    while (!isOver()) {
      try {
        ended.await();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** As {@link #awaitOver()}, for so long at most. */
  void awaitOver(Duration patience) {
    try {
      boolean _ = ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** The operator says whose an undecided guest is. */
  void resolve(Answer whose) {
    said = whose;
  }

  MigrationReport report() {
    return report;
  }

  private Reason doubt() {
    if (!source.isUndecided()) {
      return new Reason("", "", "");
    }
    return new Reason(
        "",
        "the destination cannot be asked what became of the guest",
        "Start its daemon again, which knows. Only if you know yourself: sluicectl migration"
            + " resolve "
            + guest
            + " --here when it certainly runs nowhere else and never will, --there when it runs"
            + " there.");
  }

  MigrationStatusView view() {
    MigrationStatus status = source.status();
    Reason reason = status.reason().orElseGet(this::doubt);
    return new MigrationStatusView(
        guest,
        status.id().toString(),
        "out",
        peer,
        status.phase().label(),
        reason.what(),
        reason.remedy(),
        status.bytesTotal(),
        status.bytesLeft(),
        status.machineBytesLeft(),
        status.link().bytesSent(),
        status.link().bytesRetransmitted(),
        status.rateBytesPerSecond(),
        status.pass(),
        status.pagesSent(),
        status.lastPassPages(),
        status.expectedDrainNs(),
        report.gpuPausedNs(),
        (isOver() ? status.atNs() : clock.getAsLong()) - startNs,
        isOver(),
        undecided && source.isUndecided());
  }
}
