package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.engine.MoveQuestion;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.engine.TargetHost;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.migrate.process.ProcessTarget;
import io.sluice.migrate.process.UnixLink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A guest that comes from another daemon; run by a thread of its own. */
final class IncomingMigration implements Runnable, TargetHost {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingMigration.class);
  private static final Duration PEER_TIMEOUT = Duration.ofSeconds(10);
  private static final long LINGER_NS = 5_000_000_000L;

  private final Surroundings surroundings;
  private final MigrationLink link;
  private final ReceiverFactory arrivals;
  private final Lanes lanes;
  private final MigrationTarget target;
  private final long startNs;
  private final LoopFailures failures = new LoopFailures(LOG, "receiving a guest");
  private @Nullable Receiver arrival;
  private @Nullable MappedGuest mapped;
  private volatile String guest = "";
  private volatile String attempt = "";
  private volatile boolean over;
  private volatile long endNs; // once over

  /**
   * The surroundings that all of them share.
   *
   * @param clock monotonic nanoseconds
   * @param discardOthers gives up whatever is still undecided of an attempt
   */
  record Surroundings(
      Kernel kernel,
      GuestTable guests,
      CommitLedger ledger,
      LongSupplier clock,
      PhaseObserver observer,
      Consumer<UUID> discardOthers) {}

  /** The observer, told of each phase of each migration. */
  public interface PhaseObserver {
    void entered(PhaseChange change);
  }

  /** The maker of what receives a guest, for the way that it comes. */
  interface ReceiverFactory {
    /** What is not as it must be before one can come; looks only. */
    Optional<Reason> unready(GuestHost host);

    /**
     * @throws RefusedException when it cannot come here
     */
    Receiver at(GuestHost host);
  }

  /**
   * @param machine what uses the guest
   * @param guest the guest that is to become the one that comes, once there is one
   */
  record Receiver(TargetMachine machine, Supplier<Optional<Guest>> guest) {}

  /**
   * @param link closed when it ends, and so are the lanes
   * @param lanes for its work on video memory
   */
  IncomingMigration(
      Surroundings surroundings, MigrationLink link, ReceiverFactory arrivals, Lanes lanes) {
    this.surroundings = surroundings;
    this.lanes = lanes;
    this.link = link;
    this.arrivals = arrivals;
    startNs = surroundings.clock().getAsLong();
    target =
        new MigrationTarget(
            link,
            this,
            lanes,
            PEER_TIMEOUT.toNanos(),
            startNs,
            (phase, reason) -> tell(phase.label(), reason));
  }

  private void tell(String phase, String reason) {
    surroundings
        .observer()
        .entered(new PhaseChange(guest, attempt, MigrationStatusView.MIGRATION, phase, reason));
  }

  @Override
  public void run() {
    Thread self = Thread.currentThread();
    try {
      link.setWaker(() -> LockSupport.unpark(self));
      receive();
      noteThatItRuns();
      linger();
    } catch (SluiceException e) {
      LOG.atError().addKeyValue("guest", guest).log("a migration came to nothing", e);
    } catch (RuntimeException | Error e) {
      LOG.atError()
          .addKeyValue("guest", guest)
          .setCause(e)
          .log("a migration met what nobody foresaw");
    } finally {
      endNs = surroundings.clock().getAsLong();
      over = true;
      failures.attempt(target::close);
      failures.attempt(lanes::close);
      failures.attempt(link::close);
      Receiver made = arrival;
      if (made != null) {
        failures.attempt(made.machine()::close);
      }
      MappedGuest seen = mapped;
      if (seen != null) {
        failures.attempt(seen::close);
      }
    }
  }

  /**
   * What was built is discarded whatever fails, while it may be. What the source has given away is
   * driven on: nobody else would.
   */
  private void receive() {
    long workedNs = startNs;
    while (!target.phase().isOver() && !answeredAndGone()) {
      try {
        long now = surroundings.clock().getAsLong();
        if (target.doWork(now) == 0) {
          LockSupport.parkNanos(
              this,
              target.phase() == TargetPhase.RECEIVING
                  ? IdleTime.MOST_NS
                  : IdleTime.after(now - workedNs));
        } else {
          workedNs = now;
        }
      } catch (RuntimeException | Error e) {
        failures.note(e);
        target.discardNow(Reason.unforeseen(e));
        LockSupport.parkNanos(this, IdleTime.MOST_NS);
      }
    }
  }

  /** Nobody else would let a machine run that has come, were this daemon killed before. */
  private void noteThatItRuns() {
    Receiver here = arrival;
    if (here == null || target.phase() != TargetPhase.RUNNING) {
      return;
    }
    MachineProgress.State state = here.machine().progress().state();
    while (state != MachineProgress.State.RUNNING
        && state != MachineProgress.State.FAILED
        && target.reason().isEmpty()) {
      LockSupport.parkNanos(this, IdleTime.LEAST_NS);
      state = here.machine().progress().state();
    }
    if (state == MachineProgress.State.RUNNING) {
      id().ifPresent(surroundings.ledger()::begun);
    }
  }

  /** Somebody who only asked what became of an attempt. */
  private boolean answeredAndGone() {
    return target.phase() == TargetPhase.WAITING && link.failure().isPresent();
  }

  /**
   * The source reads our last word, then closes. What was sent over a UNIX socket arrives in any
   * case; there the source waits for us, if it has given up.
   */
  private void linger() {
    if (link instanceof UnixLink) {
      return;
    }
    long until = surroundings.clock().getAsLong() + LINGER_NS;
    while (link.failure().isEmpty() && surroundings.clock().getAsLong() < until) {
      LockSupport.parkNanos(this, IdleTime.LEAST_NS);
    }
  }

  long startNs() {
    return startNs;
  }

  String guestName() {
    return guest;
  }

  boolean isOver() {
    return over;
  }

  /** Waits until it can no longer become this side's, or is. */
  void awaitOver() {
    while (!over && !target.phase().isOver()) {
      LockSupport.parkNanos(this, IdleTime.LEAST_NS);
    }
  }

  Optional<UUID> id() {
    return target.offer().map(Offer::id);
  }

  /** Gives up at the next step, unless it is too late. */
  void abort(Reason why) {
    target.abort(why);
  }

  MigrationStatusView view() {
    boolean ended = over;
    Reason reason = target.reason().orElse(new Reason("", "", ""));
    return new MigrationStatusView(
        guest,
        id().map(UUID::toString).orElse(""),
        MigrationStatusView.MIGRATION,
        "in",
        "",
        target.phase().label(),
        reason.what(),
        reason.remedy(),
        target.offer().map(Offer::vramUsedBytes).orElse(0L),
        link.statistics().bytesReceived(),
        0,
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
        (ended ? endNs : surroundings.clock().getAsLong()) - startNs,
        ended,
        false);
  }

  // ---- TargetHost ----

  @Override
  public List<Reason> objections(MoveQuestion question) {
    Map<String, GuestHost> guests = surroundings.guests().all();
    GuestHost host = guests.get(question.offer().name());
    if (host == null) {
      return List.of(ArrivalCheck.unknown(question.offer().name()));
    }
    List<Reason> found = ArrivalCheck.objections(question, host, guests);
    arrivals.unready(host).ifPresent(found::add);
    return found;
  }

  @Override
  public TargetMachine admit(Offer offer) {
    guest = offer.name();
    attempt = offer.id().toString();
    GuestHost host = surroundings.guests().all().get(offer.name());
    if (host == null) {
      throw refused(ArrivalCheck.unknown(offer.name()));
    }
    ArrivalCheck.unfit(offer, host).stream().findFirst().ifPresent(IncomingMigration::refuse);
    Receiver made = arrivals.at(host);
    arrival = made;
    return made.machine();
  }

  /** The arrivals of processes: nobody may be there yet. */
  record Processes(UnixLink link) implements ReceiverFactory {
    @Override
    public Optional<Reason> unready(GuestHost host) {
      return ArrivalCheck.occupied(host);
    }

    @Override
    public Receiver at(GuestHost host) {
      unready(host).ifPresent(IncomingMigration::refuse);
      ProcessTarget made = new ProcessTarget(host.device(), link);
      return new Receiver(made, made::guest);
    }
  }

  /** The arrivals of machines: QEMU is there already, and waits. */
  record Machines(HostRoute route) implements ReceiverFactory {
    @Override
    public Optional<Reason> unready(GuestHost host) {
      return ArrivalCheck.empty(host).or(() -> route.unready(host));
    }

    @Override
    public Receiver at(GuestHost host) {
      ArrivalCheck.empty(host).ifPresent(IncomingMigration::refuse);
      return new Receiver(route.target(host), host.device()::guest);
    }
  }

  private static void refuse(Reason why) {
    throw refused(why);
  }

  private static RefusedException refused(Reason why) {
    return new RefusedException(why.code(), Errno.EPERM, why.what(), why.remedy());
  }

  @Override
  public Optional<MappedGuest> guest() {
    Receiver here = arrival;
    Optional<Guest> attached = here == null ? Optional.empty() : here.guest().get();
    if (mapped == null && attached.isPresent()) {
      mapped = MappedGuest.of(attached.get(), surroundings.kernel());
    }
    return Optional.ofNullable(mapped);
  }

  @Override
  public void prepareCommit(Offer offer) {
    surroundings.ledger().prepare(offer.id(), offer.name());
  }

  @Override
  public void commit(Offer offer) {
    surroundings.ledger().commit(offer.id(), offer.name());
  }

  @Override
  public boolean isCommitted(UUID id) {
    surroundings.discardOthers().accept(id);
    return surroundings.ledger().isCommitted(id);
  }

  @Override
  public void running(Offer offer) {}

  @Override
  public void discard(Reason why) {
    id().ifPresent(surroundings.ledger()::forget);
  }
}
