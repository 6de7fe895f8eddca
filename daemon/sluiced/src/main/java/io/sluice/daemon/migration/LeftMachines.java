package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.daemon.migration.DepartureLedger.MigrationAttempt;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Inquiry.Verdict;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.StreamSocket;
import io.sluice.migrate.qmp.LeftMachine;
import io.sluice.migrate.qmp.LeftMachine.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machines that a predecessor was killed with on their way, and their decision when a daemon
 * starts: they have lost their GPU, but shall go on, on one side.
 *
 * <p>One that has sent everything stands still, and only its destination knows whose it is. It is
 * asked until it answers, or an operator decides; until then the guest is shown as undecided.
 */
final class LeftMachines implements Runnable, AutoCloseable {
  /** The phase of a migration whose outcome nobody can tell. */
  static final String UNDECIDED = "undecided";

  private static final Logger LOG = LoggerFactory.getLogger(LeftMachines.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long AGAIN_NS = 1_000_000_000L;

  private final Map<String, Path> monitors;
  private final Surroundings surroundings;
  private final Map<String, Standing> standing = new ConcurrentHashMap<>();
  private final ReentrantLock deciding = new ReentrantLock();
  private volatile boolean closed;
  private volatile @Nullable Thread thread;

  /** A question to the destination of a departure; blocks. */
  @FunctionalInterface
  interface Destination {
    /**
     * @throws SluiceException with the reason why there is no answer
     */
    Verdict ask(MigrationAttempt departure);
  }

  /**
   * The services of the daemon that they need.
   *
   * @param observer told what becomes of each
   * @param undecided told for each guest when it begins and ends to be
   * @param clock monotonic nanoseconds
   */
  record Surroundings(
      ThreadFactory threads,
      DepartureLedger departures,
      CommitLedger arrivals,
      Destination destination,
      IncomingMigration.PhaseObserver observer,
      BiConsumer<String, Boolean> undecided,
      LongSupplier clock) {}

  /** A machine that stands still, or does not answer. */
  private static final class Standing {
    final String guest;
    final Path qmp;
    final Optional<MigrationAttempt> departure;
    final long sinceNs;
    volatile Reason why = new Reason("", "", "");

    Standing(String guest, Path qmp, Optional<MigrationAttempt> departure, long sinceNs) {
      this.guest = guest;
      this.qmp = qmp;
      this.departure = departure;
      this.sinceNs = sinceNs;
    }
  }

  /**
   * @param monitors the QMP socket of each guest's machine, by the guest's name
   */
  LeftMachines(Map<String, Path> monitors, Surroundings surroundings) {
    this.monitors = new TreeMap<>(monitors);
    this.surroundings = surroundings;
  }

  /** Removes the sockets of its migrations: before the first of this daemon begins. */
  void removeSockets() {
    for (Path qmp : monitors.values()) {
      for (String ending : List.of(HostRoute.OUT, HostRoute.IN)) {
        removeSocket(HostRoute.beside(qmp, ending));
        removeSocket(HostRoute.beside(qmp, ending + HostRoute.SESSIONS));
      }
    }
  }

  private static void removeSocket(Path socket) {
    try {
      StreamSocket.remove(socket);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("a socket of a former migration is left behind");
    }
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    monitors.forEach((guest, qmp) -> {
      List<UUID> came = surroundings.arrivals().notBegun(guest);
      if (Files.notExists(qmp)) {
        came.forEach(surroundings.arrivals()::begun); // and gone: the next machine is another
      } else if (Files.exists(qmp)) {
        Optional<MigrationAttempt> departure = surroundings.departures().find(guest);
        standing.put(guest, new Standing(guest, qmp, departure, surroundings.clock().getAsLong()));
      }
    });
    while (!closed && !standing.isEmpty()) {
      for (Standing machine : List.copyOf(standing.values())) {
        if (!closed) {
          attempt(machine);
        }
      }
      if (!closed && !standing.isEmpty()) {
        LockSupport.parkNanos(this, AGAIN_NS);
      }
    }
  }

  /** Looks at one, and does what can be done now. */
  private void attempt(Standing machine) {
    Found found;
    try {
      found = LeftMachine.release(machine.qmp, surroundings.threads(), PATIENCE);
    } catch (RefusedException e) {
      if (machine.departure.isPresent()) {
        doubt(machine, Reason.of(e));
      } else {
        // Not on its way as far as is known; somebody else may hold its monitor.
        LOG.atWarn().addKeyValue("guest", machine.guest).log("a machine does not answer", e);
        forget(machine);
      }
      return;
    }
    switch (found) {
      case NONE, AT_HOME -> forget(machine);
      case ARRIVED -> begin(machine);
      case RELEASED -> {
        forget(machine);
        tell(machine, "released", "the machine goes on here, without its GPU");
      }
      case ENDING -> {}
      case GIVEN_AWAY -> settle(machine);
    }
  }

  /** The daemon died between its record, that the machine is its own, and letting it run. */
  private void begin(Standing machine) {
    if (surroundings.arrivals().notBegun(machine.guest).isEmpty()) {
      forget(machine); // somebody has paused it
      return;
    }
    try {
      Found _ = LeftMachine.begin(machine.qmp, surroundings.threads(), PATIENCE);
    } catch (RefusedException e) {
      LOG.atWarn().addKeyValue("guest", machine.guest).log("a machine does not go on yet", e);
      return;
    }
    forget(machine);
    tell(machine, "released", "the machine that had come goes on here, without its GPU");
  }

  private void settle(Standing machine) {
    try {
      decide(machine, answer(machine), "");
    } catch (SluiceException e) {
      doubt(machine, Reason.of(e));
    }
  }

  private Verdict answer(Standing machine) {
    MigrationAttempt departure = machine.departure.orElse(null);
    if (departure == null) {
      throw new RefusedException(
          ArrivalCode.NO_NOTE, Errno.ENOENT, "it is not noted where the machine was going", "");
    }
    return departure.isCopy() ? Verdict.SOURCE : surroundings.destination().ask(departure);
  }

  /** Nobody is told twice of the same doubt. */
  private void doubt(Standing machine, Reason why) {
    boolean first = machine.why.what().isEmpty();
    machine.why =
        new Reason(
            why.code(),
            "the daemon was ended while it gave the machine away, and nobody says whose it is: "
                + why.what(),
            "Start the daemon of "
                + machine.departure.map(MigrationAttempt::to).orElse("its destination")
                + ", which knows. Only if you know yourself: sluicectl migration resolve "
                + machine.guest
                + " --here when it certainly runs nowhere else and never will, --there when it"
                + " runs there.");
    if (first) {
      surroundings.undecided().accept(machine.guest, true);
      tell(machine, UNDECIDED, machine.why.what());
    }
  }

  /** Whether a guest's machine stands still and nobody has said whose it is. */
  boolean isUndecided(String guest) {
    Standing machine = standing.get(guest);
    return machine != null && !machine.why.what().isEmpty();
  }

  /**
   * An operator says whose a guest's machine is.
   *
   * @throws SluiceException its monitor does not answer
   */
  void resolve(String guest, Verdict whose) {
    Standing machine = standing.get(guest);
    if (machine != null) {
      decide(machine, whose, ", the operator says");
    }
  }

  private void decide(Standing machine, Verdict whose, String says) {
    deciding.lock();
    try {
      if (standing.get(machine.guest) != machine) {
        return; // it was decided meanwhile
      }
      Found _ =
          whose == Verdict.SOURCE
              ? LeftMachine.goOn(machine.qmp, surroundings.threads(), PATIENCE)
              : LeftMachine.end(machine.qmp, surroundings.threads(), PATIENCE);
      forget(machine);
    } finally {
      deciding.unlock();
    }
    if (whose == Verdict.SOURCE) {
      tell(machine, "released", "the machine goes on here, without its GPU" + says);
    } else {
      tell(machine, "done", "the machine runs at the destination, and was ended here" + says);
    }
  }

  private void forget(Standing machine) {
    if (standing.remove(machine.guest, machine)) {
      machine.departure.ifPresent(gone -> surroundings.departures().end(machine.guest, gone.id()));
      surroundings.undecided().accept(machine.guest, false);
      surroundings.arrivals().notBegun(machine.guest).forEach(surroundings.arrivals()::begun);
    }
  }

  private void tell(Standing machine, String phase, String what) {
    LOG.atWarn().addKeyValue("guest", machine.guest).addKeyValue("phase", phase).log(what);
    surroundings
        .observer()
        .entered(
            new PhaseChange(
                machine.guest, id(machine), MigrationStatusView.MIGRATION, phase, what));
  }

  /** Those that are undecided. */
  Collection<MigrationStatusView> views() {
    return standing.values().stream()
        .filter(machine -> isUndecided(machine.guest))
        .map(this::view)
        .toList();
  }

  private static String id(Standing machine) {
    return machine.departure.map(gone -> gone.id().toString()).orElse("");
  }

  private MigrationStatusView view(Standing machine) {
    return new MigrationStatusView(
        machine.guest,
        id(machine),
        MigrationStatusView.MIGRATION,
        "out",
        machine.departure.map(MigrationAttempt::to).orElse(""),
        UNDECIDED,
        machine.why.what(),
        machine.why.remedy(),
        0,
        0,
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
        surroundings.clock().getAsLong() - machine.sinceNs,
        false,
        true);
  }

  @Override
  public void close() {
    closed = true;
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running);
    }
  }
}
