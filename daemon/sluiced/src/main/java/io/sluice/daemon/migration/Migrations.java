package io.sluice.daemon.migration;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.guest.Guest;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.WireSettings;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.daemon.guest.GuestTable;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.OwnPlaces;
import io.sluice.daemon.runtime.Threads;
import io.sluice.management.CheckpointView;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.Problem;
import io.sluice.migrate.checkpoint.CheckpointWriter;
import io.sluice.migrate.engine.Inquiry;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.process.ProcessSource;
import io.sluice.migrate.process.UnixLink;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.migrate.wire.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The guests that leave this daemon, come to it, or are written to files and made of them. */
public final class Migrations implements MigrationsMXBean, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  private static final String UNIX = "unix:";

  private final GuestTable guests;
  private final Path socketPath;
  private final Kernel kernel;
  private final Threads threads;
  private final LongSupplier clock;
  private final Supplier<RandomGenerator> randoms;
  private final IncomingMigration.PhaseObserver observer;
  private final SessionDoor sessions;
  private final DaemonConfig config;
  private final ReentrantLock lock = new ReentrantLock();
  private final Departing departing;
  private final Arrivals arrivals;
  private final DepartureLedger departures;
  private final LeftMachines left;
  private final Checkpoints checkpoints;
  private final OwnPlaces places;
  private final MigrationViews views;
  private final MoveContexts contexts;

  @GuardedBy("lock")
  private @Nullable HostRoute route;

  /**
   * The services of the daemon that they need.
   *
   * @param clock monotonic nanoseconds
   * @param time of day
   * @param randoms a generator that no guest can guess, for each use
   * @param observer told of every phase
   * @param sessions where sessions of other hosts' guests come to
   */
  public record Surroundings(
      Kernel kernel,
      Threads threads,
      LongSupplier clock,
      InstantSource time,
      Supplier<RandomGenerator> randoms,
      IncomingMigration.PhaseObserver observer,
      SessionDoor sessions) {}

  public Migrations(GuestTable guests, DaemonConfig config, Surroundings surroundings) {
    this.guests = guests;
    socketPath = config.migrationSocket();
    this.config = config;
    places = new OwnPlaces(config);
    kernel = surroundings.kernel();
    threads = surroundings.threads();
    clock = surroundings.clock();
    randoms = surroundings.randoms();
    observer = surroundings.observer();
    sessions = surroundings.sessions();
    CommitLedger commits = new CommitLedger(config.stateDir());
    contexts = new MoveContexts(guests, surroundings.time());
    departing = new Departing(guests, threads);
    arrivals = new Arrivals(guests, socketPath, commits, surroundings);
    departures = new DepartureLedger(config.stateDir());
    checkpoints =
        new Checkpoints(
            new Checkpoints.Surroundings(kernel, threads, clock, this::drawId, departures),
            this::copy);
    Map<String, Path> monitors = new TreeMap<>();
    guests.all().forEach((name, guest) -> monitors.put(name, guest.settings().qmp()));
    left =
        new LeftMachines(
            monitors,
            new LeftMachines.Surroundings(
                threads, departures, commits, this::ask, observer, this::undecided, clock));
    views = new MigrationViews(departing, arrivals, left);
  }

  private Inquiry.Verdict ask(DepartureLedger.MigrationAttempt departure) {
    HostRoute open = route();
    Optional<InetSocketAddress> to = HostRoute.address(departure.to());
    if (open == null || to.isEmpty()) {
      throw withoutCertificate(departure.to());
    }
    return open.ask(to.get(), departure.id(), clock);
  }

  private static RefusedException withoutCertificate(String to) {
    return new RefusedException(
        ErrorCode.MIGRATION_BLOCKED.code(),
        Errno.EPERM,
        "this daemon has no certificate to show to " + to,
        "add [migration] to the configuration: docs/migration.md, \"Certificates\"");
  }

  private void undecided(String guest, boolean now) {
    GuestHost host = guests.all().get(guest);
    if (host != null) {
      host.setUndecided(now);
    }
  }

  /** Sees to machines that a former daemon was killed with; in a thread of its own. */
  public void lookForLeftMachines() {
    Thread _ = threads.start("sluice-left-machines", left);
  }

  /** Makes the socket and begins to accept other daemons. */
  public void start() throws OperationsException {
    left.removeSockets();
    lock.lock();
    try {
      arrivals.start();
      WireSettings wire = config.wire();
      if (wire != null) {
        HostRoute made = new HostRoute(wire, kernel, threads, clock, this::drawId);
        route = made;
        made.listen(link -> arrivals.welcome(link, new IncomingMigration.Machines(made)), sessions);
      }
    } catch (IOException | SluiceException e) {
      throw Problem.of(
              ErrorCode.DAEMON_PATH,
              "guests cannot be moved",
              CauseText.of(e),
              CauseText.remedy(e, "check daemon.run-dir and [migration]"))
          .exception();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads the certificates again, for links that are made from now on.
   *
   * @param compress whether memory that leaves is compressed, when the operator says nothing
   * @return when they are valid; empty when guests do not move between hosts
   * @throws SluiceException when they cannot be used: the former ones are
   */
  public Optional<TlsFiles.Validity> renew(boolean compress) {
    return Optional.ofNullable(route()).map(open -> open.renew(compress));
  }

  private UUID drawId() {
    RandomGenerator random = randoms.get();
    return new UUID(random.nextLong(), random.nextLong());
  }

  // ---- operations ----

  @Override
  public String getSocketPath() {
    return socketPath.toString();
  }

  @Override
  public Map<String, MigrationStatusView> getMigrations() {
    return views.latest();
  }

  @Override
  public MigrationStatusView status(String id) throws OperationsException {
    return views.byId(id);
  }

  @Override
  public MigrationCheckView check(String guest, String to, Map<String, String> options)
      throws OperationsException {
    String failed = "cannot check guest \"" + guest + "\"";
    MigrationSettings settings = MigrationOptions.settings(options);
    HostRoute.LinkRequest request =
        MigrationOptions.linkRequest(options, settings.linkBytesPerSecond());
    GuestHost host = find(failed, guest);
    Optional<InetSocketAddress> address =
        to.startsWith(UNIX) ? Optional.empty() : HostRoute.address(to);
    MigrationCheck check = new MigrationCheck(host);
    check.guest();
    boolean busy = departing.isMoving(guest);
    HostRoute open = route();
    if (busy) {
      check.busy();
    }
    if (address.isEmpty()) {
      check.sessions();
      askProcessTarget(check, path(failed, to));
    } else {
      check.machine(config.wire());
      if (open != null && !busy) {
        open.obstacles(host).forEach(check::add);
      }
      if (open != null) {
        try (HostRoute.Question question = open.question(address.get(), request)) {
          check.destination(question.link(), true, clock);
        }
        if (!busy && check.isAnswered()) {
          open.sessionObstacles(host, address.get(), config.stateDir(), request.staying())
              .forEach(check::add);
        }
      }
    }
    return check.view(request.downtime());
  }

  private void askProcessTarget(MigrationCheck check, Path path) {
    Fd socket;
    try {
      socket = kernel.connect(path);
    } catch (SyscallException e) {
      check.unreachable(path, e);
      return;
    }
    try (UnixLink link = new UnixLink(kernel, socket, threads)) {
      check.destination(link, false, clock);
    }
  }

  @Override
  public String start(String guest, String to, Map<String, String> options)
      throws OperationsException {
    String failed = "cannot move guest \"" + guest + "\"";
    MigrationSettings settings = MigrationOptions.settings(options);
    GuestHost host = find(failed, guest);
    Optional<InetSocketAddress> address =
        to.startsWith(UNIX) ? Optional.empty() : HostRoute.address(to);
    if (address.isPresent()) {
      return startMachine(failed, host, address.get(), settings, options);
    }
    Path path = path(failed, to);
    Guest attached = attached(failed, host);
    Fd socket;
    try {
      socket = kernel.connect(path);
    } catch (SyscallException e) {
      throw Problem.of(
              ErrorCode.MIGRATION_LINK,
              failed,
              "no daemon answers at " + path + ": " + e.getMessage(),
              "start it there, and see its socket with sluicectl migration status")
          .exception();
    }
    UnixLink link = new UnixLink(kernel, socket, threads);
    return departing
        .begin(
            failed,
            attached,
            () ->
                outgoing(
                    attached,
                    parts(
                        drawId(),
                        attached,
                        to,
                        options,
                        new ProcessSource(host.device(), link),
                        link),
                    settings,
                    () -> new UnixLink(kernel, kernel.connect(path), threads)),
            link)
        .id();
  }

  private String startMachine(
      String failed,
      GuestHost host,
      InetSocketAddress to,
      MigrationSettings settings,
      Map<String, String> options)
      throws OperationsException {
    Guest attached = attached(failed, host);
    String name = attached.name();
    String peer = to.getHostString() + ":" + to.getPort();
    UUID id = drawId();
    HostRoute.MigrationRoute way;
    try {
      way =
          route(failed)
              .open(
                  host,
                  to,
                  MigrationOptions.linkRequest(options, settings.linkBytesPerSecond()),
                  () -> departures.end(name, id));
    } catch (SluiceException e) {
      throw Problem.of(ErrorCode.MIGRATION_BLOCKED, failed, e.what(), e.remedy()).exception();
    }
    return departing
        .begin(
            failed,
            attached,
            () -> {
              departures.begin(name, new DepartureLedger.MigrationAttempt(id, peer));
              return outgoing(
                  attached,
                  parts(id, attached, peer, options, way.machine(), way.link()),
                  settings,
                  way.again()::get);
            },
            () -> {
              way.link().close();
              way.machine().close();
            })
        .id();
  }

  private OutgoingMigration.OutgoingParts parts(
      UUID id,
      Guest guest,
      String peer,
      Map<String, String> options,
      SourceMachine machine,
      MigrationLink link) {
    return new OutgoingMigration.OutgoingParts(
        id,
        peer,
        contexts.of(guest.name(), peer, machine, options),
        MappedGuest.of(guest, kernel),
        machine,
        link,
        MigrationLanes.make(threads),
        Optional.of(link)
            .filter(CheckpointWriter.class::isInstance)
            .map(CheckpointWriter.class::cast)
            .map(CopyWords::new),
        now -> undecided(guest.name(), now));
  }

  private OutgoingMigration outgoing(
      Guest guest,
      OutgoingMigration.OutgoingParts parts,
      MigrationSettings settings,
      OutgoingMigration.Reconnect reconnect) {
    return new OutgoingMigration(guest, parts, settings, clock, randoms.get(), reconnect, observer);
  }

  private @Nullable HostRoute route() {
    lock.lock();
    try {
      return route;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a text says where another host's daemon listens. */
  public static boolean leadsTo(String to) {
    return HostRoute.address(to).isPresent();
  }

  /**
   * Joins the stream of a guest's session to another host's daemon. Blocks until it stands.
   *
   * @param socket at which somebody listens
   * @throws RefusedException when it does not come to that
   */
  public void joinSession(String guest, String to, Path socket) {
    HostRoute open = route();
    if (open == null) {
      throw withoutCertificate(to);
    }
    open.joinSession(HostRoute.address(to).orElseThrow(), guest, socket);
  }

  private HostRoute route(String failed) throws OperationsException {
    HostRoute open = route();
    if (open == null) {
      throw Problem.of(
              ErrorCode.MIGRATION_BLOCKED,
              failed,
              "this daemon has no certificate to show to another host's",
              "add [migration] to the configuration: docs/migration.md, \"Certificates\"")
          .exception();
    }
    return open;
  }

  /**
   * Refuses a client that would move its device itself while the daemon does.
   *
   * @throws RefusedException EBUSY
   */
  public void requireStaying(String guest) {
    if (departing.isLeaving(guest)) {
      throw new RefusedException(
          ErrorCode.MIGRATION_BUSY.code(),
          Errno.EBUSY,
          "the daemon moves the guest, guest=" + guest,
          "Wait for it, or give it up: sluicectl migration abort " + guest + ".");
    }
  }

  @Override
  public void abort(String guest, String id) throws OperationsException {
    String failed = "cannot give up the migration of guest \"" + guest + "\"";
    Reason why =
        new Reason(MigrationCode.CANCELLED, "the operator gave it up", "Start it again at will.");
    departing.abort(failed, guest, id, why);
  }

  @Override
  public void resolve(String guest, boolean here) throws OperationsException {
    String failed = "cannot say whose guest \"" + guest + "\" is";
    Inquiry.Verdict whose = here ? Inquiry.Verdict.SOURCE : Inquiry.Verdict.DESTINATION;
    if (left.isUndecided(guest)) {
      try {
        left.resolve(guest, whose);
      } catch (SluiceException e) {
        throw Problem.of(ErrorCode.MIGRATION_LINK, failed, e.what(), e.remedy()).exception();
      }
      return;
    }
    OutgoingMigration migration = departing.running(failed, guest);
    if (!migration.isUndecided()) {
      throw Problem.of(
              ErrorCode.MIGRATION_PHASE,
              failed,
              "it is not undecided, phase=" + migration.source().phase().label(),
              "see sluicectl migration status")
          .exception();
    }
    migration.resolve(whose);
  }

  @Override
  public String report(String guest, String format) throws OperationsException {
    String failed = "no report of guest \"" + guest + "\"";
    OutgoingMigration migration = departing.last(failed, guest);
    return switch (format) {
      case "text" -> migration.report().text();
      case "json" -> migration.report().json();
      case "html" -> migration.report().html();
      default ->
          throw Problem.of(
                  ErrorCode.MIGRATION_OPTION,
                  failed,
                  "no format \"" + format + "\"",
                  "use text, json or html")
              .exception();
    };
  }

  @Override
  public String checkpoint(String guest, String file, boolean live) throws OperationsException {
    String failed = "no checkpoint of guest \"" + guest + "\"";
    GuestHost host = find(failed, guest);
    Guest attached = attached(failed, host);
    return checkpoints.write(failed, host, attached, places.checkpoint(kernel, failed, file), live);
  }

  @Override
  public String restore(String guest, String file) throws OperationsException {
    String failed = "guest \"" + guest + "\" cannot be made of " + file;
    GuestHost host = find(failed, guest);
    RestoringGuest restore =
        checkpoints.reading(
            failed, host, attached(failed, host), OwnPlaces.absolute(failed, file), observer);
    return departing.begin(failed, guest, restore);
  }

  @Override
  public List<CheckpointView> checkpoints(String path) throws OperationsException {
    return StoredCheckpoints.list(kernel, places.checkpoints(), path);
  }

  private OutgoingMigration copy(String failed, Guest attached, Checkpoints.Copy copy)
      throws OperationsException {
    return departing.begin(
        failed,
        attached,
        () -> {
          copy.before().run();
          return outgoing(
              attached,
              parts(copy.id(), attached, copy.to(), Map.of(), copy.machine(), copy.writer()),
              copy.settings(),
              () -> null);
        },
        () -> {
          copy.writer().close();
          copy.machine().close();
        });
  }

  // ---- finding ----

  private GuestHost find(String failed, String guest) throws OperationsException {
    GuestHost host = guests.all().get(guest);
    if (host == null) {
      throw Problem.of(
              ErrorCode.GUEST_UNKNOWN, failed, "there is no such guest", "see sluicectl guest list")
          .exception();
    }
    return host;
  }

  private static Guest attached(String failed, GuestHost host) throws OperationsException {
    return host.device()
        .guest()
        .orElseThrow(() ->
            Problem.of(
                    ErrorCode.MIGRATION_BLOCKED,
                    failed,
                    "nobody is attached to it",
                    "start it first")
                .exception());
  }

  private static Path path(String failed, String to) throws OperationsException {
    if (!to.startsWith(UNIX) || to.length() == UNIX.length()) {
      throw Problem.of(
              ErrorCode.MIGRATION_TARGET,
              failed,
              "\"" + to + "\" is no place to move a guest to",
              "use HOST:PORT for a machine, or unix:PATH, the migration socket of another daemon of"
                  + " this host, for a process or a machine in its QEMU")
          .exception();
    }
    return Path.of(to.substring(UNIX.length()));
  }

  /** Gives up what can be given up and accepts nobody any more. */
  @Override
  public void close() {
    left.close();
    lock.lock();
    try {
      arrivals.stop();
    } finally {
      lock.unlock();
    }
    Reason why = new Reason(MigrationCode.CANCELLED, "the daemon stops", "");
    departing.giveUp(why);
    arrivals.abortAll(why);
    HostRoute last;
    lock.lock();
    try {
      last = route;
      route = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.close();
    }
    try {
      Files.deleteIfExists(socketPath);
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("the migration socket is left behind");
    }
  }
}
