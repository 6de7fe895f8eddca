package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SluiceException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.runtime.StreamPlace;
import io.sluice.management.ErrorCode;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Problem;
import io.sluice.management.SessionMove;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.Park;
import io.sluice.remoting.control.Order.Relay;
import io.sluice.remoting.control.Order.Stay;
import io.sluice.remoting.control.Order.Unpark;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * The places in which a guest's sessions live, and the moves between them: the host that listens,
 * those of other implementations, near ends of sessions on other machines, and the one that holds
 * the applications of sessions in files, each started when the first session is to go there.
 */
final class GuestMoves implements AutoCloseable {
  /** The name of the host that listens. */
  static final String DEFAULT = "default";

  /** The name of the host that holds the applications of sessions that wait in files. */
  static final String PARKED = "(file)";

  /** The reason of a session's end at the host that it has left. */
  static final String MOVED = "it moved";

  /** The reason of an end before a session was served, of one that was to come with its machine. */
  static final String NOT_COME = "it did not come";

  /** Most hosts of other machines at which the guest has sessions. */
  private static final int MOST_FAR = 16;

  /** How often all hosts are asked for their sessions while some of these move. */
  private static final int MOST_ASKED = 3;

  private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(10);

  private final String guest;
  private final Supplier<Optional<ServingHost>> main;
  private final HostStarter starter;
  private final Map<String, HostStarter> starters;
  private final HostOpener opener;
  private final HostedSessions machine;
  private final GuestSessions.Surroundings surroundings;
  private final BiConsumer<String, String> tell;
  private final LatestPlaces latest = new LatestPlaces();
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<String, SideHost> sides = new TreeMap<>();

  /** That end, and have successors. */
  @GuardedBy("lock")
  private final List<SideHost> left = new ArrayList<>();

  @GuardedBy("lock")
  private boolean closed;

  /** The opener of hosts to which sessions move. */
  @FunctionalInterface
  interface HostOpener {
    SideHost open(String name, HostStarter starter);
  }

  /** A session and the name of the host it lives in. */
  record LocatedSession(SessionReport report, String host, ServingHost at) {}

  /**
   * @param main the host that listens, if it serves
   * @param starter of hosts like the one that listens
   * @param starters of other implementations' hosts, by their names
   * @param machine those sessions that the guest's machine has
   * @param tell a notification's type and message
   */
  GuestMoves(
      String guest,
      Supplier<Optional<ServingHost>> main,
      HostStarter starter,
      Map<String, HostStarter> starters,
      HostOpener opener,
      HostedSessions machine,
      GuestSessions.Surroundings surroundings,
      BiConsumer<String, String> tell) {
    this.guest = guest;
    this.main = main;
    this.starter = starter;
    this.starters = Map.copyOf(starters);
    this.opener = opener;
    this.machine = machine;
    this.surroundings = surroundings;
    this.tell = tell;
  }

  /** Other limits for all hosts to which sessions have moved; those that start have them then. */
  void limit(SessionLimits limits) {
    List<SideHost> all;
    synchronized (lock) {
      all = List.copyOf(sides.values());
    }
    for (SideHost side : all) {
      var _ =
          side.serving()
              .thenAccept(host -> host.tell(id -> new LimitSessions(id, limits), List.of()));
    }
  }

  private Map<String, ServingHost> places() {
    Map<String, ServingHost> places = new LinkedHashMap<>();
    main.get().ifPresent(host -> places.put(DEFAULT, host));
    synchronized (lock) {
      sides.forEach((name, side) -> {
        if (side.serving().isDone() && !side.isOver()) {
          places.put(name, side.serving().join());
        }
      });
    }
    return places;
  }

  /**
   * All sessions there are, wherever they live. Each host answers in its own time: a session that
   * moves meanwhile may be on its way past the question, and all are asked again then. One that
   * goes to and fro would have to do so between two questions each time.
   */
  List<LocatedSession> list() {
    return new SessionListing(() -> new SessionsQuestion(places(), surroundings.nanoTime()))
        .all(SessionsQuestion::forEachReport);
  }

  /** The list for an operator, who waits for no host that does not answer. */
  SessionListing ask() {
    long sinceNs = surroundings.nanoTime().getAsLong();
    return new SessionListing(
        () -> SessionsQuestion.ofList(places(), surroundings.nanoTime(), sinceNs));
  }

  /** The list of all sessions, asked for. */
  final class SessionListing {
    private final Supplier<SessionsQuestion> questions;
    private long over = latest.over();
    private SessionsQuestion question;

    private SessionListing(Supplier<SessionsQuestion> questions) {
      this.questions = questions;
      question = questions.get();
    }

    /** What is known soon. */
    List<LocatedSession> known() {
      return all(SessionsQuestion::forEachKnown);
    }

    private List<LocatedSession> all(
        BiConsumer<SessionsQuestion, SessionsQuestion.ReportConsumer> hears) {
      List<LocatedSession> all = new ArrayList<>();
      for (int asked = 1; ; asked++) {
        hears.accept(
            question, (name, host, report) -> all.add(new LocatedSession(report, name, host)));
        if (asked == MOST_ASKED || latest.isQuietSince(over)) {
          return latest.once(all);
        }
        over = latest.over();
        question = questions.get();
      }
    }
  }

  /** A session, wherever it lives. */
  Optional<LocatedSession> find(long session) {
    return list().stream().filter(each -> each.report().number() == session).findFirst();
  }

  /** The answer of one of the hosts; one that does not answer is ended. */
  Optional<HostMessage> ask(ServingHost host, LongFunction<Order> order) {
    return host.ask(order, List.of(), ANSWER_PATIENCE);
  }

  /** Moves a session, or looks what would be in the way. */
  SessionMove move(long session, String to, boolean checkOnly) throws OperationsException {
    String failed =
        "cannot move session " + session + " of guest \"" + guest + "\" to \"" + to + "\"";
    LocatedSession from = find(session).orElseThrow(() -> unknown(failed));
    if (from.host().equals(PARKED)) {
      throw inAFile(failed);
    }
    if (from.host().equals(to)) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "it is there");
    }
    requirePlace(to, failed);
    return arranged(from, to, checkOnly, failed, () -> moved(from, to, checkOnly, failed));
  }

  /**
   * Has a session wait in a file.
   *
   * @param key by which it is known again
   * @param file a socket to whoever writes it; stays the caller's
   */
  SessionMove park(long session, String key, Fd file, String failed) throws OperationsException {
    LocatedSession from = find(session).orElseThrow(() -> unknown(failed));
    if (from.host().equals(PARKED)) {
      throw inAFile(failed);
    }
    if (surroundings.route().get().leadsTo().test(from.host())) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "it lives on another host: move it home first");
    }
    Way way = Way.park(from.report(), key, file);
    return arranged(
        from,
        PARKED,
        false,
        failed,
        () -> carryOut(from, PARKED, target(PARKED, session, failed), way, failed));
  }

  /**
   * Has a session that waits in a file go on.
   *
   * @param key as when it was parked
   * @param to a session host of this daemon
   * @param file a socket to whoever reads the file; stays the caller's
   */
  SessionMove unpark(long session, String key, String to, Fd file, String failed)
      throws OperationsException {
    LocatedSession from = find(session).orElseThrow(() -> unknown(failed));
    if (!from.host().equals(PARKED)) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "it is in no file");
    }
    if (surroundings.route().get().leadsTo().test(to)) {
      throw problem(ErrorCode.SESSION_PLACE, failed, "it goes on at this host, and may move then");
    }
    requirePlace(to, failed);
    Way way = Way.unpark(from.report(), key, file);
    return arranged(
        from,
        to,
        false,
        failed,
        () -> carryOut(from, to, target(to, session, failed), way, failed));
  }

  /** Whether a session waits in a file. */
  boolean isInAFile(long session) {
    return find(session).filter(each -> each.host().equals(PARKED)).isPresent();
  }

  /** What holds applications of sessions in files has nothing that a session could go on with. */
  private void requirePlace(String to, String failed) throws OperationsException {
    if (to.equals(PARKED)) {
      throw noSuchHost(failed);
    }
  }

  private OperationsException noSuchHost(String failed) {
    return Problem.of(
            ErrorCode.SESSION_PLACE,
            failed,
            "there is no such session host",
            "there are " + DEFAULT + places(starters.keySet()))
        .exception();
  }

  private static OperationsException inAFile(String failed) {
    return Problem.of(
            ErrorCode.SESSION_MOVE,
            failed,
            "it waits in a file",
            "sluicectl session restore makes it again, here or at another implementation")
        .exception();
  }

  /** The doing of a move whose ends are known. */
  @FunctionalInterface
  private interface Carrier {
    Moved carry() throws OperationsException;
  }

  /** Has the host that a session leaves, if it ends with its last one, answer first. */
  private SessionMove arranged(
      LocatedSession from, String to, boolean checkOnly, String failed, Carrier carrier)
      throws OperationsException {
    long session = from.report().number();
    try (LatestPlaces.MoveInProgress _ = latest.begin()) {
      SideHost leaving = side(from.host());
      if (leaving == null || !leaving.expect(session)) {
        return result(session, to, carrier.carry(), checkOnly, failed);
      }
      try {
        return result(session, to, carrier.carry(), checkOnly, failed);
      } finally {
        leaving.forget(session); // not before it has answered
      }
    }
  }

  private @Nullable SideHost side(String name) {
    synchronized (lock) {
      return sides.get(name);
    }
  }

  private Moved moved(LocatedSession from, String to, boolean checkOnly, String failed)
      throws OperationsException {
    SessionReport report = from.report();
    if (!surroundings.route().get().leadsTo().test(to)) {
      Target target = target(to, report.number(), failed);
      return carryOut(from, to, target, Way.within(report, checkOnly), failed);
    }
    try (Fd far = far(to, failed)) {
      Target target = target(to, report.number(), failed);
      return carryOut(from, to, target, Way.far(report, far, checkOnly), failed);
    }
  }

  private SessionMove result(long session, String to, Moved moved, boolean checkOnly, String failed)
      throws OperationsException {
    if (checkOnly && !moved.obstacles().isEmpty()) {
      return new SessionMove(moved.obstacles(), 0, moved.sentBytes(), 0);
    }
    if (!moved.error().isEmpty()) {
      String why =
          moved.obstacles().isEmpty() ? moved.error() : String.join("; ", moved.obstacles());
      tell.accept(
          NotificationTypes.SESSION_MOVED, guest + " " + session + ": stays, " + moved.error());
      throw problem(ErrorCode.SESSION_MOVE, failed, why);
    }
    if (!checkOnly) {
      tell.accept(NotificationTypes.SESSION_MOVED, guest + " " + session + ": " + to);
    }
    return new SessionMove(List.of(), moved.rounds(), moved.sentBytes(), moved.stoppedNs());
  }

  /**
   * The orders of a move, each with what goes with it behind the stream between the hosts.
   *
   * @param stays whether the session stays in any case
   */
  private record Way(
      LongFunction<Order> leave,
      List<Fd> withLeave,
      LongFunction<Order> come,
      List<Fd> withCome,
      boolean stays) {
    static Way within(SessionReport of, boolean checkOnly) {
      return new Way(depart(of, checkOnly), List.of(), arrive(of, false), List.of(), checkOnly);
    }

    static Way far(SessionReport of, Fd stream, boolean checkOnly) {
      return new Way(
          depart(of, checkOnly),
          List.of(),
          id -> new Relay(id, of.number(), of.pid(), of.uid(), of.sinceMs()),
          List.of(stream),
          checkOnly);
    }

    static Way park(SessionReport of, String key, Fd file) {
      return new Way(
          depart(of, false),
          List.of(),
          id -> new Park(id, of.number(), of.pid(), of.uid(), of.sinceMs(), key),
          List.of(file),
          false);
    }

    static Way unpark(SessionReport of, String key, Fd file) {
      return new Way(
          id -> new Unpark(id, of.number(), key),
          List.of(file),
          arrive(of, true),
          List.of(),
          false);
    }

    private static LongFunction<Order> depart(SessionReport of, boolean checkOnly) {
      return id -> new Depart(id, of.number(), checkOnly);
    }

    private static LongFunction<Order> arrive(SessionReport of, boolean again) {
      return id -> new Arrive(id, of.number(), of.pid(), of.uid(), of.sinceMs(), again);
    }
  }

  private Moved carryOut(LocatedSession from, String to, Target place, Way way, String failed)
      throws OperationsException {
    SessionReport report = from.report();
    ServingHost target = place.host();
    List<Fd> pair;
    try {
      pair = surroundings.kernel().socketpair();
    } catch (SyscallException e) {
      place.forget(report.number());
      throw problem(ErrorCode.SESSION_MOVE, failed, String.valueOf(e.getMessage()));
    }
    CompletableFuture<HostMessage> arrived;
    CompletableFuture<HostMessage> departed;
    try (Fd there = pair.get(0);
        Fd here = pair.get(1)) {
      machine.onMoving(target, report.number());
      arrived = target.link().ask(way.come(), with(there, way.withCome()));
      departed = from.at().link().ask(way.leave(), with(here, way.withLeave()));
    }
    CompletableFuture<Void> heard =
        arrived
            .handle((answer, _) -> Optional.ofNullable(answer)) // none: its host has ended
            .thenAccept(answer -> hearArrival(place, report.number(), answer));
    if (!Patience.await(departed, SessionMove.LONGEST)
        || departed.isCompletedExceptionally()
        || !(departed.join() instanceof Moved moved)) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "the session host that it lives in has ended");
    }
    // Also of one that stays: it may be tried again at once, and is not to be forgotten then.
    boolean isOver = Patience.await(heard, ANSWER_PATIENCE);
    if (!way.stays() && moved.error().isEmpty()) {
      boolean isThere =
          isOver
              && !arrived.isCompletedExceptionally()
              && arrived.join() instanceof Moved other
              && other.error().isEmpty();
      if (!isThere) {
        throw problem(
            ErrorCode.SESSION_MOVE, failed, "the session host that it moved to has ended");
      }
      latest.moved(report.number(), to);
    }
    return moved;
  }

  private static List<Fd> with(Fd stream, List<Fd> others) {
    List<Fd> all = new ArrayList<>(List.of(stream));
    all.addAll(others);
    return all;
  }

  /** Whether the session lives there; by the thread that hears the host. */
  private void hearArrival(Target place, long session, Optional<HostMessage> answer) {
    if (answer.orElse(null) instanceof Moved moved && moved.error().isEmpty()) {
      machine.onArrived(place.host(), session);
      return;
    }
    if (answer.isPresent()) { // else it has what it has until nothing of it is left
      machine.onEnded(place.host(), session, false);
    }
    place.forget(session);
  }

  /** A host to which a session moves, which expects it, if it is not the one that listens. */
  private record Target(ServingHost host, @Nullable SideHost side) {
    void forget(long session) {
      if (side != null) {
        side.forget(session);
      }
    }
  }

  /** A stream to another machine's daemon, which may take the session. */
  private Fd far(String to, String failed) throws OperationsException {
    try (StreamPlace place = StreamPlace.open(surroundings.kernel(), surroundings.directory())) {
      surroundings.route().get().joiner().join(guest, to, place.path());
      return place.accept(ANSWER_PATIENCE);
    } catch (SluiceException e) {
      throw Problem.of(
              ErrorCode.SESSION_MOVE,
              failed,
              String.valueOf(e.getMessage()),
              e.remedy().isEmpty() ? "see the other daemon's log" : e.remedy())
          .exception();
    }
  }

  /** A place for the near end of a session that comes with the machine, and lives elsewhere. */
  HostedSessions.FoundPlace nearEnd(String at, long session) {
    String failed = "session " + session + " of guest \"" + guest + "\" cannot stay at " + at;
    if (!surroundings.route().get().leadsTo().test(at)) {
      throw HostedSessions.refused(Errno.EINVAL, failed);
    }
    try {
      Target target = target(at, session, failed);
      Runnable forget = () -> target.forget(session);
      try {
        return new HostedSessions.FoundPlace(target.host(), session, far(at, failed), forget);
      } catch (OperationsException e) {
        forget.run();
        throw e;
      }
    } catch (OperationsException e) {
      throw HostedSessions.refused(Errno.ENOTCONN, String.valueOf(e.getMessage()));
    }
  }

  private Target target(String to, long session, String failed) throws OperationsException {
    if (to.equals(DEFAULT)) {
      ServingHost host =
          main.get()
              .orElseThrow(() -> problem(ErrorCode.SESSION_HOST, failed, "it does not serve now"));
      return new Target(host, null);
    }
    boolean isFar = surroundings.route().get().leadsTo().test(to);
    HostStarter wanted = isFar || to.equals(PARKED) ? starter : starters.get(to);
    if (wanted == null) {
      throw noSuchHost(failed);
    }
    SideHost side;
    synchronized (lock) {
      if (closed) {
        throw problem(ErrorCode.SESSION_HOST, failed, "the daemon is stopping");
      }
      sides.values().removeIf(SideHost::isOver);
      side = sides.get(to);
      if (side == null || !side.expect(session)) {
        long far =
            sides.keySet().stream()
                .filter(name -> !name.equals(PARKED) && !starters.containsKey(name))
                .count();
        if (isFar && far >= MOST_FAR) {
          throw problem(
              ErrorCode.SESSION_MOVE, failed, "its sessions are at " + far + " hosts already");
        }
        if (side != null) {
          left.add(side);
        }
        left.removeIf(SideHost::isOver);
        side = opener.open(to, wanted);
        boolean _ = side.expect(session);
        sides.put(to, side);
      }
    }
    if (!Patience.await(side.serving(), HostHearing.START_PATIENCE)
        || side.serving().isCompletedExceptionally()) {
      side.forget(session);
      throw problem(ErrorCode.SESSION_HOST, failed, "its session host does not start");
    }
    return new Target(side.serving().join(), side);
  }

  private static String places(java.util.Set<String> names) {
    StringBuilder text = new StringBuilder();
    names.stream().sorted().forEach(name -> text.append(", ").append(name));
    return text.toString();
  }

  /** Gives up a session's move. */
  void stay(long session) throws OperationsException {
    String failed = "cannot stop the move of session " + session + " of guest \"" + guest + "\"";
    LocatedSession located = find(session).orElseThrow(() -> unknown(failed));
    Optional<HostMessage> answer = ask(located.at(), id -> new Stay(id, session));
    if (!(answer.orElse(null) instanceof HostMessage.Done done) || !done.error().isEmpty()) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "it is not being moved");
    }
  }

  private static OperationsException unknown(String failed) {
    return problem(ErrorCode.SESSION_UNKNOWN, failed, "there is no such session");
  }

  private static OperationsException problem(ErrorCode code, String failed, String why) {
    return Problem.of(code, failed, why, "sluicectl session list shows where sessions are")
        .exception();
  }

  @Override
  public void close() throws InterruptedException {
    List<SideHost> all;
    synchronized (lock) {
      closed = true;
      all = new ArrayList<>(sides.values());
      all.addAll(left);
    }
    for (SideHost side : all) {
      side.close();
    }
  }
}
