package io.sluice.daemon.sessions;

import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.runtime.StreamPlace;
import io.sluice.migrate.wire.SessionDoor;
import io.sluice.remoting.control.Order.Trial;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way in for what comes of sessions from other hosts. Those that come to live here are others'
 * matter; a question whether a machine's session could come is put to the session host that would
 * have it, and nothing of it stays.
 */
final class SessionTrials implements SessionDoor {
  private static final Logger LOG = LoggerFactory.getLogger(SessionTrials.class);
  private static final Duration STREAM_PATIENCE = Duration.ofSeconds(10);

  /** A question is over then at the latest; who asks waits for programs to be built, no longer. */
  private static final Duration TRIAL_PATIENCE = Duration.ofMinutes(15);

  /** Questions that are not over, of all guests. */
  static final int MOST = 2 * GuestAbi.MAX_API_SESSIONS;

  private final SessionDoor foreign;
  private final Function<String, Optional<GuestSessions>> guests;
  private final GuestSessions.Surroundings surroundings;
  private final Duration patience;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong numbers = new AtomicLong();

  /**
   * @param foreign where sessions come to
   * @param guests those that may have some, by name
   */
  SessionTrials(
      SessionDoor foreign,
      Function<String, Optional<GuestSessions>> guests,
      GuestSessions.Surroundings surroundings) {
    this(foreign, guests, surroundings, TRIAL_PATIENCE);
  }

  /**
   * @param patience how long a question may last that a session host does not answer
   */
  SessionTrials(
      SessionDoor foreign,
      Function<String, Optional<GuestSessions>> guests,
      GuestSessions.Surroundings surroundings,
      Duration patience) {
    this.patience = patience;
    this.foreign = foreign;
    this.guests = guests;
    this.surroundings = surroundings;
  }

  @Override
  public Path place(Set<String> names, String guest) {
    return foreign.place(names, guest);
  }

  @Override
  public Path trial(String guest) {
    GuestSessions sessions =
        guests
            .apply(guest)
            .orElseThrow(() -> SessionDoor.refuse("the guest may have no API sessions there"));
    if (sessions.hasMachine()) {
      throw SessionDoor.refuse("a machine of the guest's has API sessions there");
    }
    ServingHost host =
        sessions
            .serving()
            .orElseThrow(() -> SessionDoor.refuse("the guest's session host does not serve now"));
    if (open.incrementAndGet() > MOST) {
      open.decrementAndGet();
      throw SessionDoor.refuse("it is asked about too many sessions at once");
    }
    StreamPlace place = null;
    try {
      StreamPlace made = StreamPlace.open(surroundings.kernel(), surroundings.directory());
      place = made;
      Thread receiver = surroundings.threads().newThread(() -> receive(host, made));
      receiver.setName("sluice-trial-" + numbers.incrementAndGet());
      receiver.start();
      return made.path();
    } catch (SluiceException | OutOfMemoryError e) {
      open.decrementAndGet();
      if (place != null) {
        place.close();
      }
      throw SessionDoor.refuse("it has no means for a session, reason=" + e.getMessage());
    }
  }

  private void receive(ServingHost host, StreamPlace place) {
    CompletableFuture<?> over = CompletableFuture.completedFuture(null);
    try (place;
        Fd stream = place.accept(STREAM_PATIENCE)) {
      over =
          host.tell(Trial::new, List.of(stream))
              .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (SluiceException e) {
      LOG.atDebug().setCause(e).log("a session's stream does not come");
    } finally {
      var _ = over.whenComplete((_, _) -> open.decrementAndGet());
    }
  }
}
