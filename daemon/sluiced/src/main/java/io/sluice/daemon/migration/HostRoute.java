package io.sluice.daemon.migration;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.config.WireSettings;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.ErrorCode;
import io.sluice.migrate.engine.Inquiry;
import io.sluice.migrate.engine.Inquiry.Verdict;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.qemu.QemuSource;
import io.sluice.migrate.qemu.QemuTarget;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.migrate.session.SessionPlaces;
import io.sluice.migrate.session.SessionsSource;
import io.sluice.migrate.session.SessionsTarget;
import io.sluice.migrate.wire.LinkClient;
import io.sluice.migrate.wire.LinkServer;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.migrate.wire.SessionStream;
import io.sluice.migrate.wire.TlsFiles;
import io.sluice.migrate.wire.TunnelSource;
import io.sluice.migrate.wire.TunnelTargets;
import io.sluice.migrate.wire.WireLoops;
import io.sluice.vdevice.session.MachineSessions;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way to daemons of other hosts, and from them: for guests that are machines. */
final class HostRoute implements AutoCloseable {
  /** How long the machine may stand still for its own memory, when the operator says nothing. */
  static final Duration DEFAULT_DOWNTIME = QemuMachine.USUAL_DOWNTIME;

  /** Endings of the sockets of QEMU's own stream, for {@link #beside}. */
  static final String OUT = ".out";

  static final String IN = ".in";

  /** Of those of sessions' streams. */
  static final String SESSIONS = ".sessions";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Longer than a link tries to come about. */
  private static final Duration ANSWER = Duration.ofSeconds(15);

  private static final long IDLE_NS = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(HostRoute.class);

  private final WireSettings settings;
  private final TlsFiles files;
  private final Kernel kernel;
  private final LongSupplier clock;
  private final ThreadFactory threads;
  private final Supplier<UUID> ids;
  private final WireLoops loops;
  private final TunnelTargets tunnels = new TunnelTargets();
  private volatile boolean compress;
  private @Nullable LinkServer server;

  /**
   * A way to a destination.
   *
   * @param link to its daemon
   * @param machine what moves
   * @param again another link to the same daemon
   */
  record MigrationRoute(MigrationLink link, SourceMachine machine, Supplier<MigrationLink> again) {}

  /**
   * The operator's wishes for a way.
   *
   * @param bytesPerSecond most that is sent for this migration, the machine's memory included; 0
   *     for no limit
   * @param downtime how long the machine may stand still for its own memory
   * @param streams of pages
   * @param compress whether pages are compressed; empty for what the configuration says
   * @param staying sessions of the machine; empty when they move with it
   */
  record LinkRequest(
      long bytesPerSecond,
      Duration downtime,
      int streams,
      Optional<Boolean> compress,
      Optional<StayingSessions> staying) {}

  /**
   * The sessions of a machine that stay where they live when it moves.
   *
   * @param at where the destination reaches those that live here: HOST:PORT; empty for what the
   *     configuration says
   */
  record StayingSessions(Optional<String> at) {}

  /**
   * @param ids drawn at random: links and tunnels are joined by whoever knows theirs
   * @throws SluiceException when a certificate cannot be used
   */
  HostRoute(
      WireSettings settings,
      Kernel kernel,
      ThreadFactory threads,
      LongSupplier clock,
      Supplier<UUID> ids) {
    this.kernel = kernel;
    this.clock = clock;
    this.settings = settings;
    this.threads = threads;
    this.ids = ids;
    compress = settings.compress();
    files = new TlsFiles(settings.certificate(), settings.key(), settings.authority());
    warnOfDates(files.check());
    loops = new WireLoops(MigrationLanes.loops(), threads);
  }

  /** A daemon that did not start for it would cost every machine its GPU. */
  private static void warnOfDates(TlsFiles.Validity valid) {
    Instant now = Instant.now();
    if (now.isBefore(valid.from()) || now.isAfter(valid.until())) {
      LOG.atWarn()
          .addKeyValue("from", valid.from())
          .addKeyValue("until", valid.until())
          .log("the certificate is not valid now: no other host will take or bring guests");
    }
  }

  /**
   * Begins to listen, if the configuration says so.
   *
   * @param onLink given each link that comes in; must not block
   * @param sessions where sessions of other hosts' guests come to
   */
  void listen(Consumer<MigrationLink> onLink, SessionDoor sessions) {
    InetSocketAddress address = settings.listen();
    if (address != null) {
      server =
          new LinkServer(
              loops,
              new InetSocketAddress(address.getHostString(), address.getPort()),
              files,
              onLink,
              tunnels::take,
              sessions);
    }
  }

  /**
   * Reads the certificates again, which links show from now on.
   *
   * @param compress whether memory is compressed, when the operator says nothing
   * @return when they are valid
   * @throws SluiceException when they cannot be used: nothing has changed then
   */
  TlsFiles.Validity renew(boolean compress) {
    TlsFiles.Validity valid = files.check();
    warnOfDates(valid);
    if (server != null) {
      server.renew();
    }
    this.compress = compress;
    return valid;
  }

  /** Where a text says that a guest shall go; empty when it is no host and port. */
  static Optional<InetSocketAddress> address(String to) {
    int colon = to.lastIndexOf(':');
    String port = to.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
      return Optional.empty();
    }
    return Optional.of(
        InetSocketAddress.createUnresolved(to.substring(0, colon), Integer.parseInt(port)));
  }

  /**
   * A way for a machine. Blocks for its monitor's answers.
   *
   * @param onEnd called when all of it is closed, and the machine's monitor let go
   * @throws SluiceException the machine's monitor cannot be had, or the request not be fulfilled
   */
  MigrationRoute open(GuestHost guest, InetSocketAddress to, LinkRequest request, Runnable onEnd) {
    boolean compressed = request.compress().orElse(compress);
    int streams = request.streams();
    LinkClient client =
        new LinkClient(
            loops, to.getHostString(), to.getPort(), files, request.bytesPerSecond(), compressed);
    SourceMachine machine;
    try {
      Path qmp = guest.monitor();
      machine =
          QemuSource.open(
              guest.device(),
              qmp,
              new Ending(
                  new TunnelSource(client, beside(qmp, OUT)),
                  () -> guest.admit(beside(qmp, OUT)),
                  onEnd),
              new QemuSource.Settings(0, request.downtime(), PATIENCE),
              threads);
    } catch (RuntimeException | Error e) {
      client.close();
      throw e;
    }
    return over(
        machine,
        open -> withSessions(open, guest, to, request),
        () -> client.link(ids.get(), streams));
  }

  /**
   * A way for a machine that is open, which is closed when there comes to be none: its monitor
   * would stay taken, and nobody know of it.
   *
   * @param withSessions the machine with its sessions, which closes it
   * @param links to the destination, each another one
   */
  static MigrationRoute over(
      SourceMachine machine,
      UnaryOperator<SourceMachine> withSessions,
      Supplier<MigrationLink> links) {
    SourceMachine whole = machine;
    try {
      whole = withSessions.apply(machine);
      return new MigrationRoute(links.get(), whole, links);
    } catch (RuntimeException | Error e) {
      whole.close();
      throw e;
    }
  }

  private SourceMachine withSessions(
      SourceMachine machine, GuestHost guest, InetSocketAddress to, LinkRequest request) {
    MachineSessions sessions = guest.device().sessions().orElse(null);
    if (sessions == null) {
      return machine;
    }
    LinkClient client =
        new LinkClient(
            loops, to.getHostString(), to.getPort(), files, request.bytesPerSecond(), false);
    try {
      return new SessionsSource(
          machine,
          sessions,
          TunnelSource.plain(client, beside(guest.settings().qmp(), OUT + SESSIONS)),
          places(to, request),
          kernel,
          threads,
          clock);
    } catch (RuntimeException | Error e) {
      client.close();
      throw e;
    }
  }

  /** Where sessions stay; one that lives at the destination goes there. */
  private SessionPlaces places(InetSocketAddress to, LinkRequest request) {
    if (request.staying().isEmpty()) {
      return SessionPlaces.NONE;
    }
    String own = ownAddress(request.staying().get());
    String destination = to.getHostString() + ":" + to.getPort();
    return session -> {
      String at = address(session.livesAt()).isPresent() ? session.livesAt() : own;
      return session.canStay() && !at.equals(destination) ? Optional.of(at) : Optional.empty();
    };
  }

  /**
   * Where other hosts reach this one: as the operator says, at the address at which it listens, or
   * by the name that its certificate gives it, where it listens at all addresses.
   *
   * @throws RefusedException when there is none
   */
  private String ownAddress(StayingSessions staying) {
    InetSocketAddress listen = settings.listen();
    if (listen == null) {
      throw new RefusedException(
          ErrorCode.MIGRATION_BLOCKED.code(),
          Errno.EOPNOTSUPP,
          "sessions cannot stay here: this daemon listens to no other host",
          "set listen in [migration]");
    }
    if (staying.at().isPresent()) {
      return staying.at().get();
    }
    String host = listen.getHostString();
    boolean all = new InetSocketAddress(host, 0).getAddress().isAnyLocalAddress();
    return (all ? files.name().orElse(host) : host) + ":" + listen.getPort();
  }

  /**
   * A way that tells when what it is made of was closed, which is the last thing to be.
   *
   * @param onOpen called when it is there, before QEMU is told of it
   */
  record Ending(RamTransport.Source transport, Runnable onOpen, Runnable onEnd)
      implements RamTransport.Source {
    @Override
    public String open(ByteBuffer target) {
      String uri = transport.open(target);
      onOpen.run();
      return uri;
    }

    @Override
    public boolean isAnswered() {
      return transport.isAnswered();
    }

    @Override
    public Optional<String> cut() {
      return transport.cut();
    }

    @Override
    public boolean isCounted() {
      return transport.isCounted();
    }

    @Override
    public long bytesQueued() {
      return transport.bytesQueued();
    }

    @Override
    public long bytesCarried() {
      return transport.bytesCarried();
    }

    @Override
    public void limitQueue(long bytes) {
      transport.limitQueue(bytes);
    }

    @Override
    public long bytesTaken() {
      return transport.bytesTaken();
    }

    @Override
    public void takeUpTo(long bytes) {
      transport.takeUpTo(bytes);
    }

    @Override
    public void close() {
      transport.close();
      onEnd.run();
    }
  }

  /**
   * Asks a destination what became of an attempt whose source is no more. Blocks.
   *
   * @throws RefusedException there is no answer
   */
  Verdict ask(InetSocketAddress to, UUID id, LongSupplier clock) {
    LinkRequest request =
        new LinkRequest(0, DEFAULT_DOWNTIME, 1, Optional.empty(), Optional.empty());
    try (Question question = question(to, request)) {
      Inquiry inquiry = new Inquiry(question.link(), id, ANSWER.toNanos(), clock.getAsLong());
      Thread self = Thread.currentThread();
      question.link().setWaker(() -> LockSupport.unpark(self));
      while (!inquiry.isOver()) {
        if (inquiry.doWork(clock.getAsLong()) == 0) {
          LockSupport.parkNanos(this, IDLE_NS);
        }
      }
      Reason none = inquiry.failure().orElse(new Reason("", "", ""));
      return inquiry
          .answer()
          .orElseThrow(
              () -> new RefusedException(none.code(), Errno.ENOTCONN, none.what(), none.remedy()));
    }
  }

  /**
   * A link over which nothing moves, to ask something.
   *
   * @return it, and what is to be closed with it
   */
  Question question(InetSocketAddress to, LinkRequest request) {
    LinkClient client =
        new LinkClient(
            loops, to.getHostString(), to.getPort(), files, request.bytesPerSecond(), false);
    return new Question(client.link(ids.get(), request.streams()), client);
  }

  /**
   * A link that is asked by, with its client, which is closed behind it.
   *
   * @param link to a daemon
   */
  record Question(MigrationLink link, LinkClient client) implements AutoCloseable {
    @Override
    public void close() {
      link.close();
      client.close();
    }
  }

  /**
   * Joins the stream of a session to another host's daemon. Blocks until it stands.
   *
   * @throws RefusedException when it does not come to that
   */
  void joinSession(InetSocketAddress to, String guest, Path socket) {
    join(to, client -> SessionStream.open(client, guest, socket));
  }

  /**
   * What is in the way of the sessions of a guest's machine, at the destination or where they stay.
   * Blocks for as long as their programs are built there.
   *
   * @param directory of the daemon's own
   * @param staying if they do not move
   */
  List<Reason> sessionObstacles(
      GuestHost guest, InetSocketAddress to, Path directory, Optional<StayingSessions> staying) {
    if (staying.isPresent()) {
      try {
        String _ = ownAddress(staying.get());
        return List.of();
      } catch (SluiceException e) {
        return List.of(Reason.of(e));
      }
    }
    String name = guest.settings().name();
    SessionsTrial trial =
        new SessionsTrial(
            kernel,
            directory,
            socket -> join(to, client -> SessionStream.openTrial(client, name, socket)));
    return trial.obstacles(
        guest.device().sessions().map(MachineSessions::carried).orElse(List.of()));
  }

  private void join(InetSocketAddress to, Function<LinkClient, CompletableFuture<Void>> stream) {
    try (LinkClient client =
        new LinkClient(loops, to.getHostString(), to.getPort(), files, 0, false)) {
      Void _ = stream.apply(client).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RefusedException refused ? refused : e;
    }
  }

  /** What the guest's own machine has against it. Blocks for its monitor's answers. */
  List<Reason> obstacles(GuestHost guest) {
    try {
      return QemuSource.obstacles(guest.monitor(), threads, PATIENCE);
    } catch (SluiceException e) {
      return List.of(Reason.of(e));
    }
  }

  /** Why a machine that is to receive one does not. Blocks for its monitor's answers. */
  Optional<Reason> unready(GuestHost guest) {
    try {
      QemuTarget.requireWaiting(guest.monitor(), threads, PATIENCE);
      return Optional.empty();
    } catch (SluiceException e) {
      return Optional.of(Reason.of(e));
    }
  }

  /**
   * What receives a machine. Blocks for its monitor's answers.
   *
   * @throws SluiceException the machine's monitor cannot be had
   */
  TargetMachine target(GuestHost guest) {
    Path qmp = guest.monitor();
    return new SessionsTarget(
        QemuTarget.open(
            guest.device(),
            qmp,
            () -> tunnels.target(ids.get(), beside(qmp, IN)),
            PATIENCE,
            threads),
        guest.device()::sessions,
        () -> tunnels.standing(ids.get(), beside(qmp, IN + SESSIONS)),
        kernel,
        threads);
  }

  /** A socket that the machine finds where its monitor's is, however it sees the file system. */
  static Path beside(Path qmp, String ending) {
    return qmp.resolveSibling(qmp.getFileName() + ending);
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
    loops.close();
  }
}
