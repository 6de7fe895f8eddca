package io.sluice.daemon.sessions;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.management.ErrorCode;
import io.sluice.management.NotificationTypes;
import io.sluice.management.Problem;
import io.sluice.management.SessionMove;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.Order.Stay;
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

/**
 * The places in which a guest's sessions live, and the moves between them: the host that listens,
 * and those of other implementations, each started when the first session is to go there.
 */
final class GuestMoves implements AutoCloseable {
  /** The name of the host that listens. */
  static final String DEFAULT = "default";

  /** The reason of a session's end at the host that it has left. */
  static final String MOVED = "it moved";

  /** The reason of an end before a session was served, of one that was to come with its machine. */
  static final String NOT_COME = "it did not come";

  private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(10);

  /** A move gives up by itself; this is beyond all that it waits for. */
  private static final Duration MOVE_PATIENCE = Duration.ofMinutes(30);

  private final String guest;
  private final Supplier<Optional<ServingHost>> main;
  private final Map<String, HostStarter> starters;
  private final Opener opener;
  private final HostedSessions machine;
  private final GuestSessions.Surroundings surroundings;
  private final BiConsumer<String, String> tell;
  private final LatestPlaces latest = new LatestPlaces();
  private final Object lock = new Object();
  private final Map<String, SideHost> sides = new TreeMap<>(); // by lock
  private boolean closed; // by lock

  /** Starts a host to which sessions move. */
  @FunctionalInterface
  interface Opener {
    SideHost open(String name, HostStarter starter);
  }

  /** A session and the name of the host it lives in. */
  record Placed(SessionReport report, String host, ServingHost at) {}

  /**
   * @param main the host that listens, if it serves
   * @param starters of other implementations' hosts, by their names
   * @param machine those sessions that the guest's machine has
   * @param tell a notification's type and message
   */
  GuestMoves(
      String guest,
      Supplier<Optional<ServingHost>> main,
      Map<String, HostStarter> starters,
      Opener opener,
      HostedSessions machine,
      GuestSessions.Surroundings surroundings,
      BiConsumer<String, String> tell) {
    this.guest = guest;
    this.main = main;
    this.starters = Map.copyOf(starters);
    this.opener = opener;
    this.machine = machine;
    this.surroundings = surroundings;
    this.tell = tell;
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

  /** All sessions there are, wherever they live. */
  List<Placed> list() {
    List<Placed> all = new ArrayList<>();
    places()
        .forEach((name, host) -> {
          if (ask(host, ListSessions::new).orElse(null) instanceof Sessions answer) {
            answer.sessions().forEach(report -> all.add(new Placed(report, name, host)));
          }
        });
    return latest.once(all);
  }

  /** A session, wherever it lives. */
  Optional<Placed> find(long session) {
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
    Placed from = find(session).orElseThrow(() -> unknown(failed));
    if (from.host().equals(to)) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "it is there");
    }
    ServingHost target = target(to, failed);
    Moved moved = carryOut(from, to, target, checkOnly, failed);
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

  private Moved carryOut(
      Placed from, String to, ServingHost target, boolean checkOnly, String failed)
      throws OperationsException {
    SessionReport report = from.report();
    List<Fd> pair;
    try {
      pair = surroundings.kernel().socketpair();
    } catch (SyscallException e) {
      throw problem(ErrorCode.SESSION_MOVE, failed, String.valueOf(e.getMessage()));
    }
    CompletableFuture<HostMessage> arrived;
    CompletableFuture<HostMessage> departed;
    try (Fd there = pair.get(0);
        Fd here = pair.get(1)) {
      machine.onMoving(target, report.number());
      arrived =
          target
              .link()
              .ask(
                  id ->
                      new Arrive(id, report.number(), report.pid(), report.uid(), report.sinceMs()),
                  List.of(there));
      departed =
          from.at().link().ask(id -> new Depart(id, report.number(), checkOnly), List.of(here));
    }
    var _ = arrived.thenAccept(answer -> hearArrival(target, report.number(), answer));
    if (!Patience.await(departed, MOVE_PATIENCE)
        || departed.isCompletedExceptionally()
        || !(departed.join() instanceof Moved moved)) {
      throw problem(ErrorCode.SESSION_MOVE, failed, "the session host that it lives in has ended");
    }
    if (!checkOnly && moved.error().isEmpty()) {
      boolean isThere =
          Patience.await(arrived, ANSWER_PATIENCE)
              && !arrived.isCompletedExceptionally()
              && arrived.join() instanceof Moved other
              && other.error().isEmpty();
      if (!isThere) {
        throw problem(
            ErrorCode.SESSION_MOVE, failed, "the session host that it moved to has ended");
      }
      latest.moved(report.number(), to);
      note(target, report.number());
    }
    return moved;
  }

  /** Whether the session lives there; by the thread that hears the host. */
  private void hearArrival(ServingHost target, long session, HostMessage answer) {
    if (answer instanceof Moved moved && moved.error().isEmpty()) {
      machine.onArrived(target, session);
    } else {
      machine.onEnded(target, session, false);
    }
  }

  private void note(ServingHost target, long session) {
    synchronized (lock) {
      for (SideHost side : sides.values()) {
        if (!side.isOver() && side.serving().getNow(null) == target) {
          side.add(session);
        }
      }
    }
  }

  private ServingHost target(String to, String failed) throws OperationsException {
    if (to.equals(DEFAULT)) {
      return main.get()
          .orElseThrow(() -> problem(ErrorCode.SESSION_HOST, failed, "it does not serve now"));
    }
    HostStarter starter = starters.get(to);
    if (starter == null) {
      throw Problem.of(
              ErrorCode.SESSION_PLACE,
              failed,
              "there is no such session host",
              "there are " + DEFAULT + places(starters.keySet()))
          .exception();
    }
    SideHost side;
    synchronized (lock) {
      if (closed) {
        throw problem(ErrorCode.SESSION_HOST, failed, "the daemon is stopping");
      }
      side = sides.get(to);
      if (side == null || side.isOver()) {
        side = opener.open(to, starter);
        sides.put(to, side);
      }
    }
    if (!Patience.await(side.serving(), SideHost.START_PATIENCE)
        || side.serving().isCompletedExceptionally()) {
      throw problem(ErrorCode.SESSION_HOST, failed, "its session host does not start");
    }
    return side.serving().join();
  }

  private static String places(java.util.Set<String> names) {
    StringBuilder text = new StringBuilder();
    names.stream().sorted().forEach(name -> text.append(", ").append(name));
    return text.toString();
  }

  /** Gives up a session's move. */
  void stay(long session) throws OperationsException {
    String failed = "cannot stop the move of session " + session + " of guest \"" + guest + "\"";
    Placed placed = find(session).orElseThrow(() -> unknown(failed));
    Optional<HostMessage> answer = ask(placed.at(), id -> new Stay(id, session));
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
      all = List.copyOf(sides.values());
    }
    for (SideHost side : all) {
      side.close();
    }
  }
}
