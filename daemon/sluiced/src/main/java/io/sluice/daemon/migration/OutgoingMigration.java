package io.sluice.daemon.migration;

import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Inquiry.Verdict;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.link.PeerSilence;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.report.MigrationReport;
import io.sluice.migrate.report.MoveContext;
import java.time.Duration;
import java.util.Optional;
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
  private final Optional<CopyWords> copy;
  private final String id;
  private final long startNs;
  private final LoopFailures failures = new LoopFailures(LOG, "moving a guest away");
  private final Debounce doubt;
  private final long patienceNs;
  private final PeerSilence unanswered; // COMMIT, over the first link
  private long askedNs;
  private long workedNs;
  private MigrationLink link;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Verdict verdict; // by the operator
  private volatile boolean undecided; // told
  private volatile boolean asked; // what became of the guest

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
   * @param context what the report says beside the engine's figures
   * @param link to it
   * @param lanes for its work on video memory
   * @param copy of what it is when it is no migration
   * @param onUndecided told when the destination's word is needed and the link to it has ended, and
   *     when that is over
   */
  record OutgoingParts(
      UUID id,
      String peer,
      MoveContext context,
      MappedGuest mapped,
      SourceMachine machine,
      MigrationLink link,
      Lanes lanes,
      Optional<CopyWords> copy,
      Consumer<Boolean> onUndecided) {}

  OutgoingMigration(
      Guest guest,
      OutgoingParts parts,
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
    copy = parts.copy();
    id = parts.id().toString();
    startNs = clock.getAsLong();
    workedNs = startNs;
    doubt = new Debounce(ASK_AGAIN_NS, startNs);
    patienceNs = settings.peer().held().toNanos();
    unanswered = new PeerSilence(startNs);
    report = new MigrationReport(startNs, parts.context());
    source =
        new MigrationSource(
            new MigrationSource.MigrationParts(mapped, machine, link, lanes),
            settings,
            parts.id(),
            random,
            startNs,
            this::entered);
  }

  /** The end of a copy is told when its file is there, or is not. */
  private void entered(Phase phase, String reason) {
    if (copy.isEmpty() || !(phase == Phase.ABORTING || phase == Phase.ABORTED)) {
      tell(phase.label(), reason);
    }
  }

  private void tell(String phase, String reason) {
    observer.entered(new PhaseChange(guest, id, kind(), phase, reason));
  }

  private String kind() {
    return copy.isPresent() ? MigrationStatusView.CHECKPOINT : MigrationStatusView.MIGRATION;
  }

  private String phase() {
    Phase engine = source.phase();
    return copy.map(words -> words.phase(engine, isOver())).orElseGet(engine::label);
  }

  /** What ended it; without words when nothing did. */
  private Reason reason() {
    Optional<Reason> engine = source.reason();
    return copy.map(words -> words.reason(engine, isOver()))
        .orElseGet(() -> engine.orElseGet(this::doubted));
  }

  @Override
  public void run() {
    Thread self = Thread.currentThread();
    try {
      link.setWaker(() -> LockSupport.unpark(self));
      machine.setWaker(() -> LockSupport.unpark(self));
      while (!source.phase().isOver()) {
        try {
          work(self);
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
      failures.attempt(() -> report.observe(source.status()));
    } finally {
      failures.attempt(source::close);
      failures.attempt(lanes::close);
      failures.attempt(link::close);
      failures.attempt(machine::close);
      failures.attempt(mapped::close);
      if (undecided) {
        failures.attempt(() -> onUndecided.accept(false));
      }
      ended.countDown();
      tellEnd();
    }
  }

  /** Lets go of what is its own when it never begins; link and machine are still their maker's. */
  void release() {
    failures.attempt(source::close);
    failures.attempt(lanes::close);
    failures.attempt(mapped::close);
  }

  private void work(Thread self) {
    long now = clock.getAsLong();
    int worked = source.doWork(now);
    report.observe(source.status());
    endSilentLink(now);
    if (doubt.poll(isUndecided(), now)) {
      tellUndecided();
    }
    Verdict decision = verdict;
    if (decision != null && isUndecided()) {
      carryOut(decision);
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

  /**
   * A destination's network threads may live while its engine hangs, with the guest given away. It
   * is asked over another link, which then may take its time: the operator can say it meanwhile.
   */
  private void endSilentLink(long now) {
    if (source.phase() != Phase.COMMIT || asked) {
      unanswered.heard();
    }
    if (unanswered.look(now) > patienceNs) {
      link.close();
    }
  }

  /**
   * Something failed that nobody foresaw. A guest that is this side's goes on here, and is driven
   * until it does: nobody else would let it. Of one that was offered the destination may not have
   * heard: it is asked, over a link that works.
   */
  private void failed(Throwable cause) {
    failures.note(cause);
    source.abort(Reason.unforeseen(cause));
    if (source.phase() == Phase.COMMIT) {
      failures.attempt(link::close);
    }
    LockSupport.parkNanos(this, IdleTime.MOST_NS);
  }

  private void tellEnd() {
    String why = reason().what();
    if (copy.isPresent()) {
      tell(phase(), why.isEmpty() ? peer : why);
    }
    LOG.atInfo()
        .addKeyValue("event", kind())
        .addKeyValue("guest", guest)
        .addKeyValue("id", id)
        .addKeyValue("phase", phase())
        .addKeyValue("reason", why)
        .log(kind() + " ended");
  }

  /** Once: a destination that cannot be reached is asked again and again. */
  private void tellUndecided() {
    undecided = true;
    onUndecided.accept(true);
    tell(LeftMachines.UNDECIDED, "the destination does not say what became of it");
  }

  private void carryOut(Verdict decision) {
    switch (decision) {
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
        asked = true;
      }
    } catch (SluiceException e) {
      LOG.atDebug().addKeyValue("guest", guest).log("the destination cannot be asked", e);
    }
  }

  String id() {
    return id;
  }

  long startNs() {
    return startNs;
  }

  MigrationSource source() {
    return source;
  }

  /** Whether the destination's word is needed, and it is asked for it, or is to be. */
  boolean isUndecided() {
    return source.phase() == Phase.COMMIT && (asked || source.isUndecided());
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

  /** The operator says whose an undecided guest is. */
  void resolve(Verdict newVerdict) {
    verdict = newVerdict;
  }

  MigrationReport report() {
    return report;
  }

  private Reason doubted() {
    if (!isUndecided()) {
      return new Reason("", "", "");
    }
    return new Reason(
        "",
        "the destination does not say what became of the guest",
        "Start its daemon again, which knows. Only if you know yourself: sluicectl migration"
            + " resolve "
            + guest
            + " --here when it certainly runs nowhere else and never will, --there when it runs"
            + " there.");
  }

  MigrationStatusView view() {
    MigrationStatus status = source.status();
    Reason reason = reason();
    return new MigrationStatusView(
        guest,
        id,
        kind(),
        "out",
        peer,
        phase(),
        reason.what(),
        reason.remedy(),
        status.allBytesTotal(),
        status.allBytesSent(),
        status.allBytesLeft(),
        status.machine().totalBytes(),
        status.machine().sentBytes(),
        status.machineBytesLeft(),
        status.link().bytesRetransmitted(),
        status.rateBytesPerSecond(),
        status.pass(),
        status.pagesSent(),
        status.lastPassPages(),
        status.expectedDrainNs(),
        report.machinePausedNs(),
        report.gpuPausedNs(),
        (isOver() ? status.atNs() : clock.getAsLong()) - startNs,
        isOver(),
        undecided && isUndecided());
  }
}
