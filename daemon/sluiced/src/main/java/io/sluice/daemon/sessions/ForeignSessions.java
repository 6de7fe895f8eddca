package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RateLimit;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.config.ForeignSettings;
import io.sluice.daemon.runtime.StreamPlace;
import io.sluice.management.NotificationTypes;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.Order.Mirror;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.SessionLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that guests of other hosts have here. Each such guest has a session host of its own,
 * which is started with its first session and ends with its last; nothing of it stays, nor of what
 * it kept on disk. Guests are called {@code HOST:GUEST}, which no guest of this daemon's is.
 */
final class ForeignSessions implements SessionDoor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ForeignSessions.class);
  private static final Pattern GUEST = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  /**
   * How the directories of such guests are called, as a glob: no others have this in their names.
   */
  static final String DIRECTORIES = "*:*";

  private static final String HOST = "foreign";
  private static final int LINE = 1; // of the page of memory; 0 is of a host that listens
  private static final Duration STREAM_PATIENCE = Duration.ofSeconds(10);

  /** Events that are told, at once and in the long run. */
  private static final int BURST = 50;

  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final ForeignSettings settings;
  private final GuestSessions.Surroundings surroundings;
  private final HostDoor door;
  private final Starters starters;
  private final RateLimit events;
  private final AtomicLong numbers = new AtomicLong();
  private final Object lock = new Object();

  /** By their names. */
  @GuardedBy("lock")
  private final Map<String, Visitor> visitors = new TreeMap<>();

  /** That have successors. */
  @GuardedBy("lock")
  private final List<Visitor> ending = new ArrayList<>();

  @GuardedBy("lock")
  private boolean closed;

  /** Makes the starter of a host whose own directory is called so. */
  @FunctionalInterface
  interface Starters {
    HostCommand of(String directory);
  }

  /** A guest of another host, while it has sessions here. */
  private record Visitor(SideHost side, HostMemory memory, HostCommand starter) {}

  ForeignSessions(
      ForeignSettings settings,
      GuestSessions.Surroundings surroundings,
      HostDoor door,
      Starters starters) {
    this.settings = settings;
    this.surroundings = surroundings;
    this.door = door;
    this.starters = starters;
    events = new RateLimit(BURST, INTERVAL, surroundings.nanoTime());
  }

  @Override
  public Path place(Set<String> names, String guest) {
    String peer =
        settings.acceptFrom().stream()
            .filter(names::contains)
            .findFirst()
            .orElseThrow(
                () -> SessionDoor.refuse("it takes no sessions from this host, names=" + names));
    if (!GUEST.matcher(guest).matches()) {
      throw SessionDoor.refuse("it is no name of a guest");
    }
    String name = peer + ":" + guest;
    long number = numbers.incrementAndGet();
    SideHost side = expect(name, number);
    StreamPlace place = null;
    try {
      place = StreamPlace.open(surroundings.kernel(), surroundings.directory());
      StreamPlace open = place;
      Thread receiver = surroundings.threads().newThread(() -> receive(name, number, side, open));
      receiver.setName("sluice-foreign-" + number);
      receiver.start();
      return open.path();
    } catch (SluiceException | OutOfMemoryError e) {
      if (place != null) {
        place.close();
      }
      side.forget(number);
      throw SessionDoor.refuse("it has no means for a session, reason=" + e.getMessage());
    }
  }

  private SideHost expect(String name, long number) {
    synchronized (lock) {
      if (closed) {
        throw SessionDoor.refuse("the daemon is stopping");
      }
      Visitor known = visitors.get(name);
      if (known != null && known.side().sessions() >= settings.sessionLimit()) {
        throw SessionDoor.refuse(
            "the guest has as many sessions there as it may have, limit="
                + settings.sessionLimit());
      }
      if (known != null && known.side().expect(number)) {
        return known.side();
      }
      if (known == null && visitors.size() >= settings.guestLimit()) {
        throw SessionDoor.refuse(
            "it has sessions of as many guests as it takes, limit=" + settings.guestLimit());
      }
      if (known != null) {
        ending.add(known);
      }
      Visitor visitor = open(name, number);
      visitors.put(name, visitor);
      boolean _ = visitor.side().expect(number);
      return visitor.side();
    }
  }

  private Visitor open(String name, long number) {
    HostMemory memory = new HostMemory(surroundings.kernel());
    HostHearing hearing = surroundings.hearing(name);
    // Another's directory may not be gone yet.
    HostCommand starter = starters.of(name + ":" + number);
    SideHost side = null;
    try {
      side =
          new SideHost(
              HOST,
              starter,
              new Stand(
                  name, new SessionLimits(settings.sessionLimit(), settings.memoryBytes()), LINE),
              false,
              new SideHost.GuestHostParts(
                  door,
                  memory,
                  hearing,
                  new HostedSessions(Optional::empty, settings::memoryBytes),
                  surroundings),
              new SideHost.SideListener() {
                @Override
                public void ended(long session, String why) {
                  ForeignSessions.this.ended(name, session, why);
                }

                @Override
                public void moving(long session, String stage) {
                  tell(NotificationTypes.SESSION_MOVING, name + " " + session + ": " + stage);
                }

                @Override
                public void over() {
                  hearing.close();
                  ForeignSessions.this.over(name, memory, starter);
                }
              });
    } finally {
      if (side == null) {
        hearing.close();
        memory.close();
      }
    }
    return new Visitor(side, memory, starter);
  }

  private void receive(String name, long number, SideHost side, StreamPlace place) {
    boolean asked = false;
    try (place;
        Fd stream = place.accept(STREAM_PATIENCE)) {
      if (Patience.await(side.serving(), HostHearing.START_PATIENCE)
          && !side.serving().isCompletedExceptionally()) {
        CompletableFuture<HostMessage> answer =
            side.serving().join().link().ask(id -> new Mirror(id, number), List.of(stream));
        asked = true;
        var _ = answer.whenComplete((said, _) -> hear(name, number, side, said));
      }
    } catch (SluiceException e) {
      LOG.atDebug().addKeyValue("guest", name).setCause(e).log("a session's stream does not come");
    } finally {
      if (!asked) {
        side.forget(number);
      }
    }
  }

  private void hear(String name, long number, SideHost side, HostMessage answer) {
    if (answer instanceof Moved moved && moved.error().isEmpty()) {
      LOG.atInfo()
          .addKeyValue("event", "foreign-session")
          .addKeyValue("guest", name)
          .addKeyValue("session", number)
          .log("a session of another host's guest came");
      tell(NotificationTypes.SESSION_OPENED, name + " " + number + ": from another host");
      return;
    }
    LOG.atInfo()
        .addKeyValue("event", "foreign-session")
        .addKeyValue("guest", name)
        .addKeyValue("session", number)
        .addKeyValue("reason", answer instanceof Moved moved ? moved.error() : "its host ended")
        .log("a session of another host's guest did not come");
    side.forget(number);
  }

  private void ended(String name, long session, String why) {
    String reason = why.equals(GuestMoves.MOVED) ? "it went back" : why;
    LOG.atInfo()
        .addKeyValue("event", "foreign-session")
        .addKeyValue("guest", name)
        .addKeyValue("session", session)
        .addKeyValue("reason", reason)
        .log("a session of another host's guest ended");
    tell(NotificationTypes.SESSION_ENDED, name + " " + session + ": " + reason);
  }

  /** Nothing of a host's process is left. */
  private void over(String name, HostMemory memory, HostCommand starter) {
    synchronized (lock) {
      Visitor now = visitors.get(name);
      if (now != null && now.memory() == memory) {
        visitors.remove(name);
      }
      ending.removeIf(visitor -> visitor.memory() == memory);
    }
    memory.close();
    starter.removeCache();
  }

  private void tell(String type, String message) {
    if (events.tryTake()) {
      surroundings.tell().accept(type, message);
    }
  }

  /** Asks for a list of all sessions there are, by the names of their guests. */
  SessionsQuestion ask() {
    return SessionsQuestion.ofList(
        hosts(_ -> true), surroundings.nanoTime(), surroundings.nanoTime().getAsLong());
  }

  private Map<String, ServingHost> hosts(Predicate<String> names) {
    Map<String, ServingHost> hosts = new TreeMap<>();
    synchronized (lock) {
      visitors.forEach((name, visitor) -> {
        boolean serves = visitor.side().serving().isDone() && !visitor.side().isOver();
        if (names.test(name) && serves) {
          hosts.put(name, visitor.side().serving().join());
        }
      });
    }
    return hosts;
  }

  /** A session of a guest of another host. */
  Optional<GuestMoves.LocatedSession> find(String name, long session) {
    List<GuestMoves.LocatedSession> found = new ArrayList<>();
    new SessionsQuestion(hosts(name::equals), surroundings.nanoTime())
        .forEachReport((guest, host, report) -> {
          if (guest.equals(name) && report.number() == session) {
            found.add(new GuestMoves.LocatedSession(report, GuestMoves.DEFAULT, host));
          }
        });
    return found.stream().findFirst();
  }

  /** Ends all of their hosts, and waits until nothing of them is left. */
  @Override
  public void close() throws InterruptedException {
    List<Visitor> all;
    synchronized (lock) {
      closed = true;
      all = new ArrayList<>(visitors.values());
      all.addAll(ending);
    }
    for (Visitor visitor : all) {
      visitor.side().close();
    }
  }
}
