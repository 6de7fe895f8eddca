package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.daemon.config.GuestSettings;
import io.sluice.daemon.runtime.CauseText;
import io.sluice.daemon.runtime.OwnPlaces;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.daemon.turns.TurnKeeper;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.management.local.SocketFile;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.quota.Quota;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.control.SessionReport;
import io.sluice.vdevice.session.ApiSessions;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions of all guests that have some, and what JMX shows of them. */
public final class SessionHosts implements SessionsMXBean, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SessionHosts.class);

  /** How often it is looked at what hosts keep. */
  private static final long CACHE_LOOK_SECONDS = 20;

  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final DaemonConfig config;
  private final OwnPlaces places;
  private final WaitingFiles waiting;
  private final TurnKeeper turns;
  private final GuestSessions.Surroundings surroundings;
  private final Optional<GroupPrincipal> socketGroup;
  private final BiConsumer<String, String> audit;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<String, GuestSessions> guests = new TreeMap<>();

  /** Of the guests that have some; another host's guest has no settings. */
  private final Map<String, GuestSettings> settings = new ConcurrentHashMap<>();

  /** Open while there are guests. */
  @GuardedBy("lock")
  private @Nullable HostDoor door;

  /** If there may be some. */
  @GuardedBy("lock")
  private @Nullable ForeignSessions foreign;

  private volatile SessionRoute route = SessionRoute.NONE;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param socketGroup may connect besides the daemon's user; empty for nobody
   * @param quotas of guests
   * @param tell a notification's type and message
   * @param audit an operator's deed and its guest, for the log
   */
  public SessionHosts(
      DaemonConfig config,
      Kernel kernel,
      SandboxKernel processes,
      ThreadFactory threads,
      LongSupplier nanoTime,
      Optional<GroupPrincipal> socketGroup,
      Function<GuestSettings, Quota> quotas,
      BiConsumer<String, String> tell,
      BiConsumer<String, String> audit) {
    this.config = config;
    places = new OwnPlaces(config);
    waiting = new WaitingFiles(nanoTime);
    turns =
        new TurnKeeper(
            kernel,
            threads,
            nanoTime,
            guest -> Optional.ofNullable(settings.get(guest)).map(quotas).orElse(Quota.DEFAULT));
    surroundings =
        new GuestSessions.Surroundings(
            kernel, processes, turns, threads, nanoTime, tell, config.stateDir(), () -> route);
    this.socketGroup = socketGroup;
    this.audit = audit;
  }

  /** Begins to serve a guest's applications, if it has sessions at all. */
  public void serve(GuestSettings guest) throws OperationsException {
    if (!guest.openCl()) {
      return;
    }
    SocketFile file =
        new SocketFile(
            guest.apiSocket(),
            "the session socket of guest \"" + guest.name() + "\",",
            ErrorCode.SESSION_SOCKET);
    synchronized (lock) {
      try {
        HostDoor open = openDoor();
        SessionSocket socket = SessionSocket.open(surroundings.kernel(), file, socketGroup);
        HostCommand starter = command(guest.name());
        GuestSessions sessions =
            new GuestSessions(
                guest.name(),
                socket,
                new SessionLimits(
                    config.sessionHosts().sessionLimit(), config.sessionHosts().memoryBytes()),
                starter,
                others(starter),
                open,
                surroundings);
        guests.put(guest.name(), sessions);
        settings.put(guest.name(), guest);
        sessions.start();
      } catch (IOException e) {
        throw Problem.of(
                ErrorCode.SESSION_SOCKET,
                "cannot make a socket of the sessions of guest \"" + guest.name() + "\"",
                CauseText.of(e),
                "check the directories of "
                    + guest.apiSocket()
                    + " and "
                    + config.sessionHostSocket())
            .exception();
      }
    }
  }

  /** Ends the sessions of a guest, if it has any; nothing of them is left then. */
  public void leave(String guest) {
    GuestSessions sessions;
    synchronized (lock) {
      sessions = guests.remove(guest);
    }
    settings.remove(guest);
    if (sessions != null) {
      close(List.of(sessions));
    }
  }

  /** A guest is gone for good: what its programs were compiled to is not the next one's. */
  public void forget(GuestSettings guest) {
    if (guest.openCl()) {
      HostCommand starter = command(guest.name());
      starter.removeCache();
      for (Path directory : config.sessionHosts().implementations()) {
        starter.with(directory).removeCache();
      }
    }
  }

  private HostCommand command(String directory) {
    return new HostCommand(
        surroundings.kernel(), config.sessionHosts(), config.sessionHostSocket(), directory);
  }

  /** The way by which sessions go to other hosts. */
  public void setRoute(SessionRoute route) {
    this.route = route;
  }

  /** The way in from other hosts: begins to take their guests' sessions, if it is configured. */
  public SessionDoor door() throws OperationsException {
    forgetVisitors();
    return new SessionTrials(acceptForeign(), this::sessionsOf, surroundings);
  }

  /** What guests of other hosts kept here when an earlier daemon was killed. */
  private void forgetVisitors() {
    Path caches = config.sessionHosts().cacheDir();
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(caches, ForeignSessions.DIRECTORIES)) {
      for (Path directory : left) {
        command(directory.getFileName().toString()).removeCache();
      }
    } catch (NoSuchFileException _) {
      // nobody had sessions here yet
    } catch (IOException | DirectoryIteratorException e) {
      LOG.atWarn()
          .addKeyValue("directory", caches)
          .setCause(e)
          .log("what other hosts' guests kept stays");
    }
  }

  private Optional<GuestSessions> sessionsOf(String guest) {
    synchronized (lock) {
      return Optional.ofNullable(guests.get(guest));
    }
  }

  private SessionDoor acceptForeign() throws OperationsException {
    if (config.sessionHosts().foreign().acceptFrom().isEmpty()) {
      return SessionDoor.CLOSED;
    }
    synchronized (lock) {
      try {
        ForeignSessions open =
            new ForeignSessions(
                config.sessionHosts().foreign(), surroundings, openDoor(), this::command);
        foreign = open;
        return open;
      } catch (IOException e) {
        throw Problem.of(
                ErrorCode.SESSION_SOCKET,
                "cannot take sessions of other hosts",
                CauseText.of(e),
                "check the directory of " + config.sessionHostSocket())
            .exception();
      }
    }
  }

  private Optional<ForeignSessions> foreign() {
    synchronized (lock) {
      return Optional.ofNullable(foreign);
    }
  }

  /** The sessions of processes in a guest's machine; none for a guest that has no sessions. */
  public Optional<ApiSessions> machine(GuestSettings guest) {
    return sessionsOf(guest.name()).map(GuestSessions::machine);
  }

  /** Hosts of other implementations, by the names of their directories. */
  private Map<String, HostStarter> others(HostCommand starter) {
    Map<String, HostStarter> others = new TreeMap<>();
    config
        .sessionHosts()
        .implementations()
        .forEach(directory ->
            others.put(String.valueOf(directory.getFileName()), starter.with(directory)));
    return others;
  }

  @GuardedBy("lock")
  private HostDoor openDoor() throws OperationsException, IOException {
    HostDoor open = door;
    if (open == null) {
      open =
          HostDoor.open(surroundings.kernel(), config.sessionHostSocket(), surroundings.threads());
      door = open;
      Thread caches = surroundings.threads().newThread(this::limitCaches);
      caches.setName("sluice-caches");
      caches.start();
    }
    return open;
  }

  private void limitCaches() {
    CacheLimit limit =
        new CacheLimit(
            surroundings.kernel(),
            config.sessionHosts().cacheDir(),
            config.sessionHosts().cacheBytes());
    try {
      do {
        limit.enforce();
      } while (!closed.await(CACHE_LOOK_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does, but the thread ends as asked
    }
  }

  @Override
  public Map<String, SessionHostStatus> getHosts() {
    Map<String, SessionHostStatus> hosts = new TreeMap<>();
    synchronized (lock) {
      guests.forEach((name, sessions) -> hosts.put(name, sessions.status()));
    }
    return hosts;
  }

  /** Descriptors of a guest's applications and session hosts that wait to be closed. */
  public int unclosed(String guest) {
    return sessionsOf(guest).map(GuestSessions::unclosed).orElse(0);
  }

  /** How many sessions a guest's applications have. */
  public int count(String guest) {
    synchronized (lock) {
      GuestSessions sessions = guests.get(guest);
      return sessions == null ? 0 : sessions.status().sessions();
    }
  }

  @Override
  public List<SessionStatus> list(String guest) throws OperationsException {
    Map<String, GuestSessions> chosen;
    if (guest.isEmpty()) {
      synchronized (lock) {
        chosen = new TreeMap<>(guests);
      }
    } else {
      chosen = Map.of(guest, find("cannot list sessions", guest));
    }
    Map<String, GuestMoves.SessionListing> asked = new TreeMap<>();
    chosen.forEach((name, sessions) -> asked.put(name, sessions.moves().ask()));
    Optional<SessionsQuestion> visitors =
        guest.isEmpty() ? foreign().map(ForeignSessions::ask) : Optional.empty();
    List<SessionStatus> found = new ArrayList<>();
    asked.forEach((name, listing) -> {
      for (GuestMoves.LocatedSession located : listing.known()) {
        found.add(status(name, ProcessNames.name(located.report().pid()), located));
      }
    });
    visitors.ifPresent(question ->
        question.forEachKnown((name, host, report) ->
            found.add(
                status(
                    name,
                    "on another host",
                    new GuestMoves.LocatedSession(report, GuestMoves.DEFAULT, host)))));
    return found;
  }

  private static SessionStatus status(
      String guest, String command, GuestMoves.LocatedSession located) {
    SessionReport report = located.report();
    return new SessionStatus(
        guest,
        report.number(),
        report.pid(),
        report.uid(),
        command,
        report.api(),
        report.device(),
        located.host(),
        report.objects(),
        report.memoryBytes(),
        report.calls(),
        TimeUnit.NANOSECONDS.toMillis(report.deviceNs()),
        report.sinceMs(),
        report.ties());
  }

  @Override
  public void end(String guest, long session) throws OperationsException {
    String failed = "cannot end session " + session + " of guest \"" + guest + "\"";
    // Of a guest of this host no session host of another one is asked, nor waited for.
    Optional<GuestMoves.LocatedSession> visiting =
        guest.indexOf(':') < 0
            ? Optional.empty()
            : foreign().flatMap(all -> all.find(guest, session));
    if (visiting.isPresent()) {
      endAt(failed, guest, session, visiting.get().at());
      return;
    }
    GuestSessions sessions = find(failed, guest);
    if (session < 1) {
      throw unknownSession(failed);
    }
    GuestMoves.LocatedSession located =
        sessions.moves().find(session).orElseThrow(() -> absent(failed, sessions));
    endAt(failed, guest, session, located.at());
  }

  private void endAt(String failed, String guest, long session, ServingHost at)
      throws OperationsException {
    Optional<HostMessage> answer =
        at.ask(id -> new EndSession(id, session), List.of(), END_PATIENCE);
    if (!(answer.orElse(null) instanceof Done done)) {
      throw Problem.of(
              ErrorCode.SESSION_HOST,
              failed,
              "its session host does not answer, and ends with all of its sessions",
              "sluicectl session list shows what is left")
          .exception();
    }
    if (!done.error().isEmpty()) {
      throw unknownSession(failed);
    }
    audit.accept("session-end", guest + " " + session);
  }

  @Override
  public SessionMove move(String guest, long session, String to, boolean checkOnly)
      throws OperationsException {
    GuestSessions sessions = find("cannot move a session of guest \"" + guest + "\"", guest);
    SessionMove moved = sessions.moves().move(session, to, checkOnly);
    if (!checkOnly) {
      audit.accept("session-move", guest + " " + session + " to " + to);
    }
    return moved;
  }

  @Override
  public void stay(String guest, long session) throws OperationsException {
    find("cannot stop a move of guest \"" + guest + "\"", guest).moves().stay(session);
    audit.accept("session-stay", guest + " " + session);
  }

  @Override
  public SessionMove checkpoint(String guest, long session, String file)
      throws OperationsException {
    String failed = "cannot write session " + session + " of guest \"" + guest + "\" to a file";
    SessionFiles files = files(failed, guest);
    SessionMove moved =
        files.write(session, places.checkpoint(surroundings.kernel(), failed, file));
    audit.accept("session-checkpoint", guest + " " + session + " to " + file);
    return moved;
  }

  @Override
  public SessionMove restore(String guest, long session, String file, String to)
      throws OperationsException {
    String failed = "cannot make session " + session + " of guest \"" + guest + "\" again";
    SessionFiles files = files(failed, guest);
    SessionMove moved = files.read(session, OwnPlaces.absolute(failed, file), to);
    audit.accept("session-restore", guest + " " + session + " to " + to);
    return moved;
  }

  private SessionFiles files(String failed, String guest) throws OperationsException {
    GuestSessions found = find(failed, guest);
    return new SessionFiles(guest, found.moves(), found::mostMemoryBytes, waiting, surroundings);
  }

  /** A host that does not serve is another matter than one that has no such session. */
  private static OperationsException absent(String failed, GuestSessions sessions) {
    String state = sessions.status().state();
    return state.equals(SessionHostStatus.SERVING)
        ? unknownSession(failed)
        : Problem.of(ErrorCode.SESSION_HOST, failed, "its session host is " + state, "try again")
            .exception();
  }

  private static OperationsException unknownSession(String failed) {
    return Problem.of(
            ErrorCode.SESSION_UNKNOWN,
            failed,
            "there is no such session",
            "sluicectl session list shows those there are")
        .exception();
  }

  @Override
  public void limit(String guest, @Nullable Integer sessions, @Nullable Long memoryBytes)
      throws OperationsException {
    String failed = "cannot limit the sessions of guest \"" + guest + "\"";
    GuestSessions found = find(failed, guest);
    SessionLimits before = found.limits();
    SessionLimits wanted =
        new SessionLimits(
            sessions == null ? before.sessions() : sessions,
            memoryBytes == null ? before.memoryBytes() : memoryBytes);
    if (wanted.sessions() < 1
        || wanted.sessions() > SessionLimits.MAX_SESSIONS
        || wanted.memoryBytes() < 0) {
      throw Problem.of(
              ErrorCode.SESSION_LIMIT,
              failed,
              wanted.sessions() + " sessions, " + wanted.memoryBytes() + " bytes",
              "1 to " + SessionLimits.MAX_SESSIONS + " sessions, and no negative size")
          .exception();
    }
    found.limit(wanted);
    audit.accept(
        "session-limit",
        guest + " " + wanted.sessions() + " sessions, " + wanted.memoryBytes() + " bytes");
  }

  private GuestSessions find(String failed, String guest) throws OperationsException {
    synchronized (lock) {
      GuestSessions sessions = guests.get(guest);
      if (sessions == null) {
        throw Problem.of(
                ErrorCode.SESSION_GUEST,
                failed,
                "it is no guest with sessions",
                guests.isEmpty()
                    ? "set opencl in its [[guest]], and restart the daemon"
                    : "there are " + String.join(", ", guests.keySet()))
            .exception();
      }
      return sessions;
    }
  }

  /** Ends all session hosts, and waits until nothing of them is left. */
  @Override
  public void close() {
    closed.countDown();
    List<AutoCloseable> parts;
    synchronized (lock) {
      parts = new ArrayList<>(guests.values());
      guests.clear();
      if (foreign != null) {
        parts.add(foreign);
      }
      foreign = null;
      HostDoor open = door;
      if (open != null) {
        parts.add(open);
      }
      door = null;
      parts.add(turns);
    }
    close(parts);
  }

  private static void close(List<? extends AutoCloseable> parts) {
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        LOG.atWarn().setCause(e).log("something of the session hosts is left behind");
      }
    }
  }
}
