package io.sluice.vdevice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RateLimit;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.guest.Guest;
import io.sluice.vdevice.dma.MapBudget;
import io.sluice.vdevice.dma.MapLimits;
import io.sluice.vdevice.dma.MapPace;
import io.sluice.vdevice.protocol.ClientCapabilities;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.session.MachineSessions;
import io.sluice.vdevice.state.DeviceState;
import io.sluice.vdevice.state.PciState;
import io.sluice.vdevice.state.SessionRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One guest's virtual device, offered at a UNIX socket: whoever connects there and speaks vfio-user
 * is the guest. One client at a time; another one is told EBUSY.
 *
 * <p>Each client gets a new device with a new open of the GPU, and all of it is given back when it
 * goes, however it goes.
 *
 * <p>Five threads: one accepts ({@link Acceptor}), one closes what clients sent ({@link
 * ForeignFds}); while a client is attached, one serves its messages and one executes its calls, and
 * once it has opened an API session one waits for session hosts.
 */
public final class GuestDevice implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuestDevice.class);

  /** How long one that came while another is attached waits for that; longer if that has left. */
  private static final Duration ADMISSION_WAIT = Duration.ofMillis(200);

  /** How long a client that goes is waited for: many times as long as all of it takes. */
  private static final Duration END_WAIT = Duration.ofSeconds(10);

  private static final int BACKLOG = 8;

  /** Clients that may come at once; those beyond wait for their turn. */
  static final int CONNECTION_BURST = 64;

  private static final Duration CONNECTION_INTERVAL = Duration.ofMillis(50);

  private final String name;
  private final Path path;
  private final Kernel kernel;
  private final GuestSource source;
  private final ThreadFactory threads;
  private final MapBudget.GuestShare share;
  private final MapPace pace;
  private final ForeignFds foreign;
  private final GuestLog log;
  private final RateLimit connections;
  private final @Nullable PromptSignals signals;
  private final DeviceCounters.Live counters = new DeviceCounters.Live();

  private final Seat seat;
  private final AttachedMemory memory;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable Acceptor acceptor;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param name the operator's name of the guest
   * @param path where its socket is made
   * @param most memory that it may have mapped
   * @param source opens the GPU for each client
   */
  public GuestDevice(String name, Path path, DeviceHost host, MapLimits most, GuestSource source) {
    this.name = name;
    this.path = path;
    this.kernel = host.kernel();
    this.source = source;
    this.threads = host.threads();
    seat = new Seat(name);
    memory = new AttachedMemory(seat);
    log = new GuestLog(name, host.log(), host.clock());
    connections = new RateLimit(CONNECTION_BURST, CONNECTION_INTERVAL, host.clock());
    foreign = new ForeignFds(kernel, name, threads);
    share = host.budget().share(name, most);
    pace = new MapPace(host.clock());
    signals = kernel.canSignalForeign() ? new PromptSignals(kernel, host.clock()) : null;
  }

  /** Most lines of the log about it. */
  public LogRate logRate() {
    return log.rate();
  }

  /** Makes the socket and begins to accept; a client can connect when this returns. */
  public void start() {
    lock.lock();
    try {
      if (acceptor != null || closed) {
        throw new IllegalStateException("device was started or closed, guest=" + name);
      }
      Acceptor starting =
          new Acceptor(
              new Acceptor.ListeningPlace(
                  kernel, foreign.apply(kernel.listen(path, BACKLOG)), foreign, log, connections),
              counters,
              this::admit);
      thread("accept", starting);
      acceptor = starting;
    } finally {
      lock.unlock();
    }
  }

  /** The operator's name of the guest. */
  public String name() {
    return name;
  }

  /** Where its socket is. */
  public Path path() {
    return path;
  }

  /** Who is attached. */
  public Optional<PeerCredentials> peer() {
    return seat.peer();
  }

  /** The guest that is attached. */
  public Optional<Guest> guest() {
    return seat.session().map(DeviceSession::guest);
  }

  /** Whether the client itself moves the device just now, by VFIO's migration protocol. */
  public boolean isMovedByClient() {
    return seat.session().map(DeviceSession::isMovedByClient).orElse(false);
  }

  /** What was counted so far. */
  public DeviceCounters counters() {
    Optional<DeviceSession> session = seat.session();
    return counters.snapshot(
        session.map(s -> s.vectors().delivered()).orElse(0L),
        session.map(s -> (long) s.events().lost()).orElse(0L),
        session.map(s -> s.dma().size()).orElse(0));
  }

  /** Memory that its client has mapped. */
  public MapLimits mapped() {
    return share.used();
  }

  /** Most memory that its client may have mapped. */
  public MapLimits mostMapped() {
    return share.most();
  }

  /** Descriptors of its clients that wait to be closed. */
  public int descriptorsWaiting() {
    return foreign.waiting();
  }

  /** How many clients may connect at once now. */
  public RateLimit.Allowance connectionRoom() {
    return connections.room();
  }

  /** How many ranges it may map at once now. */
  public RateLimit.Allowance mapRoom() {
    return pace.room();
  }

  /** Lines of the log about it that were left out, because there were too many. */
  public long logLinesLeftOut() {
    return log.leftOut();
  }

  /** How much video memory the guest may hold from now on; nothing when none is attached. */
  public void setVramLimit(long bytes) {
    seat.session().ifPresent(session -> session.setVramLimit(bytes));
  }

  /** Delivers no interrupt until {@link #releaseInterrupts}. */
  public void holdInterrupts() {
    seat.session().ifPresent(session -> session.vectors().hold());
  }

  /** Ends {@link #holdInterrupts}: every enabled vector fires once. */
  public void releaseInterrupts() {
    seat.session().ifPresent(session -> session.vectors().release());
  }

  /** The attached guest's memory. */
  public AttachedMemory memory() {
    return memory;
  }

  /** The API sessions of the attached guest, if it may have some. */
  public Optional<MachineSessions> sessions() {
    return seat.session().flatMap(DeviceSession::sessions);
  }

  // ---- moving to another device ----

  /**
   * Looks whether the attached device, if there is one, can move as it stands.
   *
   * @throws RefusedException EBUSY while the guest has API sessions
   */
  public void requireMovable() {
    seat.session().ifPresent(session -> session.held().requireMovable());
  }

  /**
   * Holds the attached device still for a move: when this returns no call runs, and no call begins
   * and no interrupt is delivered until {@link #release} or {@link #releaseRestored}.
   *
   * @throws RefusedException ENOTCONN; EBUSY while the guest has API sessions
   */
  public void hold() {
    seat.attached().held().hold();
  }

  /** Ends {@link #hold} on a device that did not move; every vector fires once. */
  public void release() {
    seat.session().ifPresent(session -> session.held().release());
  }

  /**
   * The PCI function as the client has written it, but for the MSI-X table, which clients emulate.
   */
  public PciState pci() {
    return seat.attached().held().pci(null);
  }

  /**
   * The device as it stands, while it is held and its client stands still. Asks the client for the
   * MSI-X table, which it emulates; blocks as {@link AttachedMemory#dmaRead} does.
   *
   * @throws RefusedException the client's error; ETIMEDOUT; ENOTCONN
   */
  public DeviceState save(Duration timeout) {
    DeviceSession session = seat.attached();
    PciState pci = session.held().pci(null);
    byte[] table = null;
    if (pci.usesMsix() && pci.isBusMaster() && session.vectors().isAssigned(0)) {
      table = new byte[PciState.MSIX_TABLE_BYTES];
      session
          .clientMemory()
          .read(
              new Iova(pci.registersAddress() + PciState.MSIX_TABLE_OFFSET),
              MemorySegment.ofArray(table),
              timeout);
    }
    return session.held().save(table);
  }

  /**
   * Makes a held device what a state says, but for the PCI function. The guest itself is restored
   * apart from it.
   */
  public void restore(DeviceState state) {
    seat.attached().held().restoreDevice(state);
  }

  /** Ends {@link #hold} on a device that was restored: every vector fires once. */
  public void releaseRestored() {
    seat.attached().held().releaseRestored();
  }

  // ---- taking over ----

  /**
   * Stops serving the client, between two messages and two calls, so that another daemon can.
   *
   * @param patience how long to wait for that
   * @throws RefusedException ENOTCONN when none is attached, EBUSY when it does not come to that
   */
  public Handover handOver(Duration patience) {
    Seat.Occupant pausing =
        seat.pause()
            .orElseThrow(() ->
                new RefusedException(
                    DeviceCode.NO_CLIENT,
                    Errno.ENOTCONN,
                    "no client that could be handed over, guest=" + name,
                    ""));
    Seat.PausedClient paused =
        seat.awaitPaused(pausing, patience)
            .orElseThrow(() ->
                new RefusedException(
                    DeviceCode.WITHIN_MESSAGE,
                    Errno.EBUSY,
                    "the client is within a message, guest=" + name,
                    "Try again."));
    try {
      return new PausedHandover(seat, paused);
    } catch (RefusedException e) {
      seat.resume(pausing);
      throw e;
    }
  }

  /**
   * Takes over the client that another daemon serves, or served. It is not served before {@link
   * Adoption#serve}.
   *
   * @param state from {@link Handover#state}
   * @param files the files that belong to it; owned by this device if it succeeds, except that
   *     those it has no use for are closed
   * @throws RefusedException EBUSY when somebody is attached, EPROTO when they do not fit
   */
  public Adoption adopt(ByteBuffer state, List<Fd> files) {
    SessionRecord record = SessionRecord.decode(state);
    SessionRecord.require(record.files() == files.size(), "the number of its files");
    Fd socket = foreign.apply(files.getFirst());
    Seat.Occupant adopted = Seat.Occupant.paused(socket, kernel.peerCredentials(socket));
    if (!seat.take(adopted, Duration.ZERO)) {
      throw new RefusedException(
          DeviceCode.OCCUPIED, Errno.EBUSY, "the guest has a client, guest=" + name, "");
    }
    boolean complete = false;
    try {
      DeviceSession session = DeviceSession.adopt(place(), source, counters, record, files);
      serveAdopted(adopted, session, record.client());
      files.subList(1, files.size()).forEach(Fd::close);
      complete = true;
      return new PausedAdoption(seat, adopted, session);
    } finally {
      if (!complete) {
        seat.withdrawn(adopted);
      }
    }
  }

  private void serveAdopted(Seat.Occupant adopted, DeviceSession session, ClientCapabilities had) {
    boolean complete = false;
    try {
      seat.opened(adopted, session);
      thread("calls", () -> execute(session));
      thread(
          "serve",
          () ->
              asClient(
                  adopted,
                  () -> serve(adopted, session, connection -> taken(adopted, connection, had))));
      complete = true;
    } finally {
      if (!complete) {
        session.abandon();
      }
    }
  }

  private boolean taken(Seat.Occupant adopted, Connection connection, ClientCapabilities had) {
    counters.connection();
    connection.resume(had);
    boolean here = seat.awaitDecision(adopted);
    if (here) {
      log.at(LOG, Level.INFO).addKeyValue("peer", adopted.peer).log("taken over");
    }
    return here;
  }

  /**
   * Serves a client until it goes, or another daemon has it; then the session is over, also when it
   * comes to nothing.
   *
   * @param begin first; whether the client is there
   */
  private void serve(Seat.Occupant client, DeviceSession session, Predicate<Connection> begin) {
    boolean there = seat.isServed(client);
    try (Arena arena = Arena.ofConfined()) {
      Connection connection =
          new Connection(kernel, client.socket, foreign, session, counters, arena);
      there = begin.test(connection);
      while (there && connection.serve(() -> pauses(client))) {
        there = seat.awaitDecision(client);
      }
    } finally {
      seat.ending(
          client, () -> counters.ended(session.vectors().delivered(), session.events().lost()));
      if (there) {
        session.close();
      } else {
        session.abandon();
      }
    }
  }

  /** Asked between messages: whether the client is to pause. It goes on when there is room. */
  private boolean pauses(Seat.Occupant client) {
    if (foreign.waiting() > ForeignFds.MOST_WAITING
        && !foreign.await(ForeignFds.MOST_WAITING, END_WAIT)) {
      throw new RefusedException(
          DeviceCode.UNCLOSED,
          Errno.EMFILE,
          "descriptors of the client cannot be closed, waiting=" + foreign.waiting(),
          "End what keeps them: a socket that lingers, a file system that does not answer.");
    }
    return seat.isPausing(client);
  }

  /**
   * Ends the client's connection, if there is one, and does not wait for what follows: the way for
   * threads that {@link #detach} would wait for.
   */
  public void expel() {
    seat.expel(kernel::shutdown);
  }

  /**
   * Detaches the client, if there is one, and waits until everything it held is given back; but not
   * for ever.
   */
  public void detach() {
    if (!seat.vacate(kernel::shutdown, END_WAIT)) {
      log.at(LOG, Level.ERROR).log("the client's session does not end");
    } else if (!foreign.await(0, END_WAIT)) {
      log.at(LOG, Level.WARN)
          .addKeyValue("waiting", foreign.waiting())
          .log("descriptors of the client cannot be closed");
    }
  }

  /** Detaches the client and accepts no other. The socket's file stays: it is the caller's. */
  @Override
  public void close() {
    Acceptor started;
    lock.lock();
    try {
      closed = true;
      started = acceptor;
    } finally {
      lock.unlock();
    }
    seat.close();
    if (started != null) {
      started.close();
    }
    detach();
    foreign.close();
    share.close();
  }

  private void thread(String what, Runnable action) {
    unstarted(what, action).start();
  }

  private Thread unstarted(String what, Runnable action) {
    Thread thread = threads.newThread(action);
    thread.setName("sluice-" + name + "-" + what);
    return thread;
  }

  // ---- serving ----

  /**
   * Makes somebody who connected the client. One that is just going is waited for: a client that
   * closes its socket and connects again must not meet itself.
   */
  private boolean admit(Fd socket) {
    Seat.Occupant client = Seat.Occupant.running(socket, kernel.peerCredentials(socket));
    if (!foreign.await(ForeignFds.MOST_WAITING, ADMISSION_WAIT)
        || !seat.take(client, ADMISSION_WAIT, END_WAIT, this::hasHungUp)) {
      source.refused(client.peer);
      return false;
    }
    boolean serving = false;
    try {
      thread("serve", () -> asClient(client, () -> serve(client)));
      serving = true;
    } finally {
      if (!serving) {
        seat.withdrawn(client);
      }
    }
    return true;
  }

  /** Whether nobody is at the other end of a client's socket, whatever was read of it so far. */
  private boolean hasHungUp(Fd socket) {
    short[] found = new short[1];
    return kernel.poll(List.of(socket), new short[1], found, 0) > 0
        && (found[0] & Kernel.POLLHUP) != 0;
  }

  private void serve(Seat.Occupant client) {
    counters.connection();
    log.at(LOG, Level.INFO).addKeyValue("peer", client.peer).log("attached");
    DeviceSession session = DeviceSession.open(place(), source, counters);
    serve(
        client,
        session,
        _ -> {
          seat.opened(client, session);
          thread("calls", () -> execute(session));
          return true;
        });
  }

  /** Runs what serves a client; whatever comes of it, the client has left afterwards. */
  private void asClient(Seat.Occupant client, Runnable service) {
    try {
      service.run();
    } catch (SluiceException e) {
      if (e.code().equals(DeviceCode.UNCLOSED.code())) {
        log.at(LOG, Level.WARN).log("the client is sent away: {}", e.getMessage()); // its own doing
      } else {
        log.at(LOG, Level.ERROR).log("the device cannot be served", e);
      }
    } catch (RuntimeException | Error e) {
      log.at(LOG, Level.ERROR).log("the device failed", e);
    } finally {
      seat.left(client);
      log.at(LOG, Level.INFO).log("detached");
    }
  }

  /** Executes a client's calls; without that the client would wait for ever. */
  private void execute(DeviceSession session) {
    try {
      session.calls().run();
    } catch (RuntimeException | Error e) {
      expel();
      log.at(LOG, Level.ERROR).log("the thread of calls failed", e);
    }
  }

  private SessionPlace place() {
    return new SessionPlace(
        kernel, name, share, pace, log, signals, action -> unstarted("notices", action));
  }
}
