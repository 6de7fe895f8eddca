package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RateLimit;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.daemon.runtime.ProcessNames;
import io.sluice.daemon.turns.TurnKeeper;
import io.sluice.daemon.turns.TurnSeat;
import io.sluice.management.ErrorCode;
import io.sluice.management.NotificationTypes;
import io.sluice.management.SessionHostStatus;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.MemoryPage;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.Serve;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.Order.TakeNumber;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.vdevice.session.ApiSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one guest: its listening socket, which stays, and its session hosts, one after
 * another. A thread keeps one running until this is closed.
 */
final class GuestSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuestSessions.class);

  private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(10);

  /** How long the last host is waited for: many times as long as it takes to end a process. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(20);

  /** What a host's process exits with when it does not get on. */
  private static final int FAILED = 1;

  /** How far the numbers of sessions may run ahead: those that came to nothing are not told. */
  private static final long MOST_AHEAD = 1 << 20;

  /** Events that are told, at once and in the long run. */
  private static final int BURST = 50;

  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final String guest;
  private final SessionSocket socket;
  private final HostStarter starter;
  private final HostDoor door;
  private final Surroundings surroundings;
  private final HostHearing hearing;
  private final HostMemory memory;
  private final List<String> hostNames; // of those to which sessions move
  private final GuestMoves moves;
  private final RateLimit events;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread keeper;
  private final LoopFailures failures;
  private final HostedSessions machine =
      new HostedSessions(this::serving, this::mostMemoryBytes, this::nearEnd);
  private final Object lock = new Object();

  /** Sessions. */
  @GuardedBy("lock")
  private final Set<Long> open = new HashSet<>();

  @GuardedBy("lock")
  private String state = SessionHostStatus.STARTING;

  @GuardedBy("lock")
  private @Nullable ServingHost running;

  /** The one that runs, once it has said that it serves: not before is it asked for anything. */
  @GuardedBy("lock")
  private @Nullable ServingHost serving;

  @GuardedBy("lock")
  private long pid;

  @GuardedBy("lock")
  private long starts;

  /** Number of the next session. */
  @GuardedBy("lock")
  private long next = 1;

  @GuardedBy("lock")
  private String sandbox = "";

  @GuardedBy("lock")
  private String reason = "";

  @GuardedBy("lock")
  private List<String> devices = List.of();

  @GuardedBy("lock")
  private SessionLimits limits;

  /** The highest of all limits so far: what was made under another one is still there. */
  @GuardedBy("lock")
  private long mostMemoryBytes;

  /**
   * @param guest its name
   * @param socket of its applications, owned from now on
   * @param limits to begin with
   * @param others starters of hosts to which sessions move, by their names
   */
  GuestSessions(
      String guest,
      SessionSocket socket,
      SessionLimits limits,
      HostStarter starter,
      Map<String, HostStarter> others,
      HostDoor door,
      Surroundings surroundings) {
    this.guest = guest;
    this.socket = socket;
    this.limits = limits;
    mostMemoryBytes = limits.memoryBytes();
    this.starter = starter;
    this.door = door;
    this.surroundings = surroundings;
    hearing = surroundings.hearing(guest);
    failures = new LoopFailures(LOG, "keeping a session host of " + guest);
    events = new RateLimit(BURST, INTERVAL, surroundings.nanoTime());
    memory = new HostMemory(surroundings.kernel());
    hostNames = List.copyOf(new TreeSet<>(others.keySet()));
    moves =
        new GuestMoves(
            guest,
            this::serving,
            starter,
            others,
            this::openSide,
            machine,
            surroundings,
            this::tell);
    keeper = surroundings.threads().newThread(this::keep);
    keeper.setName("sluice-" + guest + "-sessions");
  }

  private HostedSessions.FoundPlace nearEnd(String at) {
    long number = HostedSessions.check(ask(TakeNumber::new), Errno.EAGAIN).session();
    synchronized (lock) {
      next = Math.max(next, number + 1);
    }
    return moves.nearEnd(at, number);
  }

  /** One of another implementation, or a near end, which holds no memory of objects. */
  private SideHost openSide(String name, HostStarter other) {
    int number = hostNames.indexOf(name);
    return new SideHost(
        name,
        other,
        new Stand(guest, limits(), number < 0 ? MemoryPage.MOST_HOSTS - 1 : number + 1),
        number >= 0,
        new SideHost.GuestHostParts(door, memory, hearing, machine, surroundings),
        new SideHost.SideListener() {
          @Override
          public void ended(long session, String why) {
            if (!why.equals(GuestMoves.MOVED)) {
              tell(NotificationTypes.SESSION_ENDED, guest + " " + session + ": " + why);
            }
          }

          @Override
          public void moving(long session, String stage) {
            tellStage(session, stage);
          }
        });
  }

  private void tellStage(long session, String stage) {
    tell(NotificationTypes.SESSION_MOVING, guest + " " + session + ": " + stage);
  }

  /** The places of its sessions, and moves between them. */
  GuestMoves moves() {
    return moves;
  }

  /** The sessions of processes in the guest's machine. */
  ApiSessions machine() {
    return machine;
  }

  /** Begins to serve. */
  void start() {
    keeper.start();
  }

  private void keep() {
    RestartDelay delay = new RestartDelay();
    try {
      while (!isClosed()) {
        long begin = surroundings.nanoTime().getAsLong();
        try {
          runHost();
        } catch (RuntimeException | Error e) {
          failures.note(e); // the next is tried when its time has come
        }
        Duration served = Duration.ofNanos(surroundings.nanoTime().getAsLong() - begin);
        Duration wait = delay.after(served);
        if (closed.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // nobody does, but the thread ends as asked
    }
  }

  /** One host from its start until nothing is left of it. */
  private void runHost() throws InterruptedException {
    synchronized (lock) {
      state = SessionHostStatus.STARTING;
      starts++;
    }
    HostDoor.Started host;
    try {
      hearing.checkRoom();
      host = door.start(starter, hearing.custody());
    } catch (IOException e) {
      ended("it cannot be started: " + e.getMessage());
      return;
    }
    memory.enter(0);
    Process process = host.process();
    synchronized (lock) {
      pid = process.pid();
    }
    Thread reader = null;
    Optional<Fd> connection = Optional.empty();
    String why = "the daemon is stopping";
    try {
      reader = hearing.hearWords(process, "sluice-" + guest + "-host");
      connection = connection(host);
      why =
          connection.isPresent()
              ? hearing.serve(process, connection.get(), this::begin)
              : "it did not connect: " + left(process);
    } catch (RuntimeException | Error e) { // no descriptors, memory or threads, most likely
      why = "the daemon has no means for it: " + e.getMessage();
      failures.note(e);
    } finally {
      if (connection.isEmpty()) {
        door.forget(host);
      }
      stop(process);
      memory.leave(0);
      if (process.exitValue() == FAILED) {
        renewSocket();
      }
      ended(why);
      hearing.leave(reader);
    }
  }

  /** Perhaps it could not listen: a host before it had the socket, and did with it as it liked. */
  private void renewSocket() {
    if (isClosed()) {
      return;
    }
    try {
      socket.renew(hearing.custody());
    } catch (IOException | RuntimeException e) {
      failures.note(e); // the former one, which most hosts leave as it was
    }
  }

  private static String left(Process process) {
    return process.isAlive() ? "it takes too long" : "its process exited " + process.exitValue();
  }

  /** Waits until the host connects; none when it ends before, or takes too long. */
  private Optional<Fd> connection(HostDoor.Started host) throws InterruptedException {
    CompletableFuture<Object> first =
        CompletableFuture.anyOf(host.connection(), host.process().onExit());
    long slices = HostHearing.START_PATIENCE.dividedBy(Patience.SLICE);
    for (long i = 0; i < slices && !isClosed() && !first.isDone(); i++) {
      try {
        Object _ = first.get(Patience.SLICE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException _) {
        // looks again, whether to go on too
      }
    }
    return Optional.ofNullable(host.connection().getNow(null));
  }

  /** Has a host serve, and listens to it. */
  private HostLink.Listener begin(ServingHost host, TurnSeat seat) {
    HostLink own = host.link();
    Serve order;
    synchronized (lock) {
      running = host;
      order = new Serve(guest, limits, next);
    }
    try {
      own.serve(order, socket.listener(), seat, memory);
    } catch (SluiceException e) {
      own.end(); // it would wait for its orders for ever
      LOG.atDebug().addKeyValue("guest", guest).setCause(e).log("a session host is gone already");
    }
    if (isClosed()) { // while it came: close has seen no link
      own.end();
    }
    return new HostListener(host, seat, order.limits());
  }

  /** It has nothing to say any more; what it has started is in its group, and cannot leave it. */
  private void stop(Process process) throws InterruptedException {
    surroundings.processes().killGroup(process.pid());
    process.destroyForcibly();
    process.waitFor();
  }

  private void ended(String why) {
    Set<Long> lost;
    ServingHost before;
    synchronized (lock) {
      before = running;
      running = null;
      serving = null;
      pid = 0;
      sandbox = "";
      devices = List.of();
      reason = why;
      state = isClosed() ? SessionHostStatus.ENDED : SessionHostStatus.WAITING;
      lost = Set.copyOf(open);
      open.clear();
    }
    if (before != null) {
      before.onGone();
      machine.onHostGone(before);
    }
    if (isClosed()) {
      return;
    }
    LOG.atWarn()
        .addKeyValue("event", "session-host")
        .addKeyValue("guest", guest)
        .addKeyValue("code", ErrorCode.SESSION_START.code())
        .addKeyValue("sessions", lost.size())
        .addKeyValue("reason", why)
        .log("a session host ended, another is started");
    tell(NotificationTypes.SESSION_HOST, guest + " ended: " + why);
    lost.forEach(session ->
        tell(NotificationTypes.SESSION_ENDED, guest + " " + session + ": its session host ended"));
  }

  /** The listener to what a host says by itself. */
  private final class HostListener implements HostLink.Listener {
    private final ServingHost host;
    private final TurnSeat seat;
    private final SessionLimits sent;

    /**
     * @param told with the order to serve
     */
    HostListener(ServingHost host, TurnSeat seat, SessionLimits sent) {
      this.host = host;
      this.seat = seat;
      this.sent = sent;
    }

    @Override
    public void onTurns() {
      surroundings.turns().wake();
    }

    @Override
    public void onServing(Serving said) {
      SessionLimits now;
      synchronized (lock) {
        if (running != host) {
          return; // at its end, and heard late
        }
        state = SessionHostStatus.SERVING;
        sandbox = said.sandbox();
        devices = List.copyOf(said.devices());
        serving = host;
        now = limits;
      }
      if (!now.equals(sent)) { // they have changed since
        var _ = host.tell(id -> new LimitSessions(id, now), List.of());
      }
      surroundings.turns().name(seat, said.turns());
      LOG.atInfo()
          .addKeyValue("event", "session-host")
          .addKeyValue("guest", guest)
          .addKeyValue("sandbox", said.sandbox())
          .addKeyValue("devices", said.devices())
          .log("a session host serves");
      tell(NotificationTypes.SESSION_HOST, guest + " serves");
    }

    @Override
    public void onOpened(Opened opened) {
      synchronized (lock) {
        if (running != host) {
          return;
        }
        if (opened.session() > next + MOST_AHEAD) {
          host.end("it numbers its sessions as it likes, number=" + opened.session());
          return;
        }
        if (open.size() < SessionLimits.MAX_SESSIONS) {
          open.add(opened.session());
        }
        next = Math.max(next, opened.session() + 1);
      }
      if (opened.pid() == ProcessNames.IN_MACHINE) {
        machine.onOpened(host, opened.session());
      }
      tell(
          NotificationTypes.SESSION_OPENED,
          guest + " " + opened.session() + ": " + ProcessNames.describe(opened.pid()));
    }

    @Override
    public void onEnded(Ended ended) {
      synchronized (lock) {
        open.remove(ended.session());
      }
      boolean isElsewhere = ended.reason().equals(GuestMoves.MOVED);
      boolean guestKnows = !isElsewhere && !ended.reason().equals(GuestMoves.NOT_COME);
      machine.onEnded(host, ended.session(), guestKnows);
      if (!isElsewhere) {
        tell(
            NotificationTypes.SESSION_ENDED, guest + " " + ended.session() + ": " + ended.reason());
      }
    }

    @Override
    public void onMoving(Moving moving) {
      tellStage(moving.session(), moving.stage());
    }
  }

  /** A guest whose applications come and go in a loop is heard of, not all the time. */
  private void tell(String type, String message) {
    if (events.tryTake()) {
      surroundings.tell().accept(type, message);
    }
  }

  /** The host's answer to an order; none when there is no host or it does not answer. */
  Optional<HostMessage> ask(LongFunction<Order> order) {
    return serving().flatMap(now -> now.ask(order, List.of(), ANSWER_PATIENCE));
  }

  /** The host that listens, if it serves. */
  Optional<ServingHost> serving() {
    synchronized (lock) {
      return Optional.ofNullable(serving);
    }
  }

  /** Whether a machine of the guest's has sessions. */
  boolean hasMachine() {
    return !machine.isEmpty();
  }

  private @Nullable ServingHost running() {
    synchronized (lock) {
      return running;
    }
  }

  /** The limits of hosts to come, and of all that run. */
  void limit(SessionLimits changed) {
    synchronized (lock) {
      limits = changed;
      mostMemoryBytes = Math.max(mostMemoryBytes, changed.memoryBytes());
    }
    ask(id -> new LimitSessions(id, changed));
    moves.limit(changed);
  }

  SessionLimits limits() {
    synchronized (lock) {
      return limits;
    }
  }

  /** Most memory that the objects of its sessions may have, or have been allowed to. */
  long mostMemoryBytes() {
    synchronized (lock) {
      return mostMemoryBytes;
    }
  }

  SessionHostStatus status() {
    ServingHost now = running();
    String silent = now != null && now.isSilent() ? "it does not answer" : "";
    synchronized (lock) {
      return new SessionHostStatus(
          guest,
          state,
          pid,
          socket.path().toString(),
          sandbox,
          devices,
          open.size(),
          limits.sessions(),
          limits.memoryBytes(),
          starts,
          silent.isEmpty() ? reason : silent);
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Descriptors of its applications and session hosts that wait to be closed. */
  int unclosed() {
    return hearing.unclosed();
  }

  /** Ends the host and removes the socket. */
  @Override
  public void close() throws IOException, InterruptedException {
    closed.countDown();
    ServingHost now = running();
    if (now != null) {
      now.link().end();
    }
    moves.close();
    try {
      socket.delete();
    } finally {
      if (keeper.isAlive() && !keeper.join(END_PATIENCE)) {
        LOG.atError().addKeyValue("guest", guest).log("a session host does not end");
      }
      socket.delete(); // the keeper may have made another meanwhile
      socket.close(hearing.custody());
      memory.close();
      hearing.close();
    }
  }

  /**
   * The surroundings that all guests' sessions share.
   *
   * @param processes ends what a host leaves
   * @param turns of all guests at devices
   * @param tell a notification's type and message
   * @param directory of the daemon's own, for sockets of streams
   * @param route to other hosts, as it is now
   */
  record Surroundings(
      Kernel kernel,
      SandboxKernel processes,
      TurnKeeper turns,
      ThreadFactory threads,
      LongSupplier nanoTime,
      BiConsumer<String, String> tell,
      Path directory,
      Supplier<SessionRoute> route) {
    /** What hears the hosts of a guest. */
    HostHearing hearing(String guest) {
      return new HostHearing(guest, kernel, turns, threads, nanoTime);
    }
  }
}
