package io.sluice.daemon.sessions;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.turns.TurnSeat;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.Order.Stand;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session host that listens to nobody: sessions come to it from the guest's other hosts, or from
 * other machines. Started when the first is to come; when it ends, nobody starts it again before
 * another is to come. One that does not stay ends with its last session.
 */
final class SideHost implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SideHost.class);

  /**
   * The parts that all hosts of a guest share.
   *
   * @param machine those sessions that the guest's machine has
   */
  record GuestHostParts(
      HostDoor door,
      HostMemory memory,
      HostHearing hearing,
      HostedSessions machine,
      GuestSessions.Surroundings surroundings) {}

  /** The listener to what becomes of a host. */
  interface SideListener {
    /** A session has ended there, and why: {@link GuestMoves#MOVED} too. */
    void ended(long session, String why);

    /** A session's move has come to a stage. */
    void moving(long session, String stage);

    /** Nothing of the host is left; on its own thread. */
    default void over() {}
  }

  private final String guest;
  private final String name;
  private final boolean stays;
  private final HostDoor door;
  private final GuestSessions.Surroundings surroundings;
  private final HostHearing hearing;
  private final HostMemory memory;
  private final HostedSessions machine;
  private final SideListener listener;
  private final CompletableFuture<ServingHost> serving = new CompletableFuture<>();
  private final Object lock = new Object();

  /** Sessions, or to come. */
  @GuardedBy("lock")
  private final Multiset<Long> open = HashMultiset.create();

  @GuardedBy("lock")
  private boolean ending;

  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable ServingHost connected; // and may not serve yet

  /**
   * @param name of its implementation, or of where its sessions live
   * @param order that it begins with
   * @param stays whether it waits for others when its last session is gone
   */
  SideHost(
      String name,
      HostStarter starter,
      Stand order,
      boolean stays,
      GuestHostParts parts,
      SideListener listener) {
    guest = order.guest();
    this.name = name;
    this.stays = stays;
    this.listener = listener;
    door = parts.door();
    surroundings = parts.surroundings();
    hearing = parts.hearing();
    memory = parts.memory();
    machine = parts.machine();
    thread = surroundings.threads().newThread(() -> run(starter, order));
    thread.setName("sluice-" + guest + "-" + name);
    thread.start();
  }

  /** Its process, once it serves; fails when it does not come to that. */
  CompletableFuture<ServingHost> serving() {
    return serving;
  }

  /** Whether it is at its end. */
  boolean isOver() {
    return serving.isCompletedExceptionally() || !thread.isAlive();
  }

  /** A session is to come; false when this host is about to end, and takes none. */
  boolean expect(long session) {
    synchronized (lock) {
      return !ending && open.add(session);
    }
  }

  /** A session that was expected does not come. */
  void forget(long session) {
    boolean _ = remove(session);
  }

  /** How many live here, or are to come. */
  int sessions() {
    synchronized (lock) {
      return open.size();
    }
  }

  private boolean remove(long session) {
    boolean was;
    boolean isLast;
    synchronized (lock) {
      was = open.remove(session);
      isLast = !stays && open.isEmpty();
      ending |= isLast;
    }
    if (isLast) {
      end();
    }
    return was;
  }

  /** Ends it soon: now, or when it serves. */
  private void end() {
    var _ = serving.thenAccept(host -> host.link().end());
  }

  private void run(HostStarter starter, Stand order) {
    String why = "it cannot be started";
    Thread reader = null;
    try {
      hearing.checkRoom();
      HostDoor.Started host = door.start(starter, hearing.custody());
      memory.enter(order.host());
      Optional<Fd> connection = Optional.empty();
      try {
        reader = hearing.hearWords(host.process(), thread.getName() + "-words");
        connection = connection(host);
        why =
            connection.isPresent()
                ? hearing.serve(
                    host.process(), connection.get(), (serves, seat) -> begin(serves, seat, order))
                : "it did not connect";
      } finally {
        if (connection.isEmpty()) {
          door.forget(host);
        }
        surroundings.processes().killGroup(host.process().pid());
        host.process().destroyForcibly();
        host.process().waitFor();
        memory.leave(order.host());
      }
    } catch (IOException | RuntimeException | Error e) { // of this host alone, whatever it is
      why = "it failed: " + e.getMessage();
      LOG.atDebug().addKeyValue("guest", guest).setCause(e).log("a session host failed");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      over(why);
      leave(reader);
    }
  }

  private void leave(@Nullable Thread reader) {
    try {
      hearing.leave(reader);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private HostLink.Listener begin(ServingHost host, TurnSeat seat, Stand order) {
    connected = host; // before it is looked whether this is closed
    host.setPlace(name);
    host.link().stand(order, seat, memory);
    if (closed) {
      host.link().end();
    }
    return new HostListener(host, seat);
  }

  /** Waits until the host connects, in slices as {@link Patience} does; none when it does not. */
  private static Optional<Fd> connection(HostDoor.Started started) throws InterruptedException {
    long slices = HostHearing.START_PATIENCE.dividedBy(Patience.SLICE);
    for (long i = 0; i < slices && !started.connection().isDone(); i++) {
      try {
        Object _ = started.connection().get(Patience.SLICE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException _) {
        // looks again
      }
    }
    return Optional.ofNullable(started.connection().getNow(null));
  }

  private void over(String why) {
    if (!serving.completeExceptionally(new IOException(why))
        && !serving.isCompletedExceptionally()) {
      serving.join().onGone();
      machine.onHostGone(serving.join());
    }
    Set<Long> lost;
    boolean wanted;
    synchronized (lock) {
      wanted = ending || closed;
      ending = true;
      lost = Set.copyOf(open);
      open.clear();
    }
    if (!wanted) {
      LOG.atWarn()
          .addKeyValue("event", "session-host")
          .addKeyValue("guest", guest)
          .addKeyValue("host", name)
          .addKeyValue("sessions", lost.size())
          .addKeyValue("reason", why)
          .log("a session host to which sessions move ended");
    }
    lost.forEach(session -> listener.ended(session, "its session host ended"));
    listener.over();
  }

  /** The listener to what the host says by itself. */
  private final class HostListener implements HostLink.Listener {
    private final ServingHost host;
    private final TurnSeat seat;

    HostListener(ServingHost host, TurnSeat seat) {
      this.host = host;
      this.seat = seat;
    }

    @Override
    public void onTurns() {
      surroundings.turns().wake();
    }

    @Override
    public void onServing(Serving said) {
      LOG.atInfo()
          .addKeyValue("event", "session-host")
          .addKeyValue("guest", guest)
          .addKeyValue("host", name)
          .addKeyValue("sandbox", said.sandbox())
          .addKeyValue("devices", said.devices())
          .log("a session host to which sessions move serves");
      surroundings.turns().name(seat, said.turns());
      serving.complete(host);
    }

    @Override
    public void onOpened(Opened opened) {
      // nobody connects to it
    }

    @Override
    public void onEnded(Ended ended) {
      boolean was = remove(ended.session());
      boolean isElsewhere = ended.reason().equals(GuestMoves.MOVED);
      boolean guestKnows = !isElsewhere && !ended.reason().equals(GuestMoves.NOT_COME);
      machine.onEnded(host, ended.session(), guestKnows);
      if (was) {
        listener.ended(ended.session(), ended.reason());
      }
    }

    @Override
    public void onMoving(Moving moving) {
      listener.moving(moving.session(), moving.stage());
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    ServingHost host = connected;
    if (host != null) {
      host.link().end();
    } else {
      thread.interrupt();
    }
    thread.join();
  }
}
